import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { StoryHostAnswer, StoryHostRequest } from '../../src/main/hosts/testing/storyHost.ts'
import { end } from './shell.ts'

/** A process that runs the browser host of one story after another. Starts with the first story. */
export interface StoryHost {
  /** Whether a story uses it. */
  readonly busy: boolean
  /** @returns the one-time address */
  start(options: { env: NodeJS.ProcessEnv; folder?: string; port: number }): Promise<string>
  /** Closes the browser host. @throws Error if it does not free everything that it started */
  stop(): Promise<void>
  /** Ends the process. */
  end(): Promise<void>
}

/** @param entry the built src/main/hosts/testing/storyHost.ts */
export function createStoryHost(entry: string): StoryHost {
  let child: ChildProcess | undefined
  let busy = false

  async function send(request: StoryHostRequest): Promise<StoryHostAnswer> {
    const receiver = (child ??= fork(entry, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
    const answer = await new Promise<StoryHostAnswer>((resolve, reject) => {
      const ended = () => reject(new Error('The process of the browser host ended.'))
      receiver.once('message', resolve).once('exit', ended)
      receiver.send(request, (error) => error && ended())
    }).finally(() => receiver.removeAllListeners())
    if (answer.type === 'failed') throw new Error(answer.reason)
    return answer
  }

  /** Ends the process at once, so that the next story gets a new one. */
  async function discard(): Promise<void> {
    const failed = child
    child = undefined
    busy = false
    if (failed) await end(failed, 'SIGKILL')
  }

  return {
    get busy() {
      return busy
    },
    async start({ env, folder, port }) {
      busy = true
      try {
        const answer = await send({ type: 'start', env: defined(env), folder, port })
        if (answer.type !== 'started') throw new Error(`Unexpected answer: ${answer.type}`)
        return answer.address
      } catch (error) {
        await discard()
        throw error
      }
    },
    async stop() {
      // A failed start has ended the process.
      if (!busy) return
      try {
        const answer = await send({ type: 'stop' })
        if (answer.type !== 'stopped') throw new Error(`Unexpected answer: ${answer.type}`)
        if (answer.remaining.length > 0) throw new Error(`Closing Tizona did not free: ${answer.remaining.join(', ')}.`)
        busy = false
      } catch (error) {
        await discard()
        throw error
      }
    },
    async end() {
      if (child === undefined) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
