import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'

/** The test process's reply to each message. */
const replies: Readonly<Record<string, string>> = { start: 'loaded', test: 'done' }

/**
 * Lets node-llama-cpp load its native library without trying it in a child process first. Electron's binary does not
 * run as Node, so that child would be a second instance of the application. If the library crashes, it ends this
 * process, which has no other purpose.
 */
export function skipLibraryTest(): void {
  const fork = (): EventEmitter => {
    const test = Object.assign(new EventEmitter(), {
      exitCode: null as number | null,
      killed: false,
      kill: () => true,
      send({ type }: { type: string }) {
        const reply = replies[type]
        if (reply !== undefined) test.emit('message', { type: reply })
        else if (test.exitCode === null) {
          test.exitCode = 0
          test.emit('exit', 0)
        }
      },
    })
    setImmediate(() => test.emit('message', { type: 'ready' }))
    return test
  }
  Object.assign(childProcess, { fork })
  syncBuiltinESMExports()
}
