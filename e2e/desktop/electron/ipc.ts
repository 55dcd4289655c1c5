import { EventEmitter } from 'node:events'
import { createCodec } from '../page/codec.ts'
import { guarded } from './guarded.ts'

const codec = createCodec(null)

/** Encodes the arguments of a message to a page. @throws Error "An object could not be cloned." */
export function encodeArguments(args: unknown[]): string {
  try {
    // Electron uses structured clone too, so it refuses the same values.
    return codec.encode(structuredClone(args)).text
  } catch {
    throw new Error('An object could not be cloned.')
  }
}

export function decodeArguments(text: string): unknown[] {
  return codec.decode({ text, attachments: [] }) as unknown[]
}

type InvokeHandler = (event: object, ...args: unknown[]) => unknown

const handlers = new Map<string, InvokeHandler>()
const emitter = new EventEmitter()

/** Emits a message to the listeners of its channel. */
export function emitMessage(channel: string, event: object, args: unknown[]): void {
  // An "error" event without a listener would end the process, which Electron prevents.
  if (emitter.listenerCount(channel) > 0) emitter.emit(channel, event, ...args)
}

/** Runs the handler of a channel. @throws Error with Electron's message for the page */
export async function runHandler(channel: string, event: object, args: unknown[]): Promise<unknown> {
  const handler = handlers.get(channel)
  if (handler === undefined)
    throw new Error(`Error invoking remote method '${channel}': Error: No handler registered for '${channel}'`)
  try {
    return await handler(event, ...args)
  } catch (error) {
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error })
  }
}

export const ipcMain = guarded(
  'ipcMain',
  Object.assign(emitter, {
    handle(channel: string, handler: InvokeHandler): void {
      if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
      if (typeof handler !== 'function')
        throw new Error(`Expected handler to be a function, but found type '${typeof handler}'`)
      handlers.set(channel, handler)
    },
    handleOnce(channel: string, handler: InvokeHandler): void {
      ipcMain.handle(channel, (event, ...args) => {
        handlers.delete(channel)
        return handler(event, ...args)
      })
    },
    removeHandler: (channel: string): void => void handlers.delete(channel),
  }),
)
