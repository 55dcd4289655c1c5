import { EventEmitter } from 'node:events'
import { pathToFileURL } from 'node:url'
import { copied } from './copied.ts'

/**
 * Entry of utility processes: sets `process.parentPort`, like Electron, and runs the process's own entry. Messages are
 * queued until there is a listener.
 */
const send = process.send?.bind(process)
const [runtime = '', , entry = '', ...args] = process.argv
process.send = undefined
process.argv = [runtime, entry, ...args]

const waiting: unknown[] = []
const port = Object.assign(new EventEmitter(), {
  postMessage(message: unknown): void {
    send?.(copied(message).data)
  },
  start: flush,
  pause(): void {},
})

function flush(): void {
  while (waiting.length > 0 && port.listenerCount('message') > 0) port.emit('message', waiting.shift())
}

port.on('newListener', (name) => {
  if (name === 'message') setImmediate(flush)
})
process.on('message', (message: { data: unknown }) => {
  waiting.push({ data: message.data, ports: [] })
  flush()
})
// The application has ended.
process.on('disconnect', () => process.exit(0))
Object.assign(process, { parentPort: port, type: 'utility' })
await import(pathToFileURL(entry).href)
