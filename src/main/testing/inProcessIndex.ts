import path from 'node:path'
import { ToolError, type Failure } from '../../shared/errors.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import {
  forkNode,
  type ChildEvents,
  type ChildProcess,
  type ForkOptions,
  type ForkProcess,
} from '../base/childProcess.ts'
import { createEngine } from '../code/process/indexEngine.ts'
import type { IndexMessage, IndexProcessOptions, IndexRequest } from '../code/process/indexProcess.ts'

/**
 * Runs the code index in the process of the test instead of its own: half a second of processor time less for each
 * test, most of it for grammars that a new process prepares again. Without watchdog and restarts, which
 * indexClient.test.ts tests with real processes.
 */
export const inProcessIndex: ForkProcess = (module, options, events) =>
  path.parse(module).name === 'indexProcess' ? startIndex(options, events) : forkNode(module, options, events)

function startIndex({ args }: ForkOptions, { onMessage, onExit }: ChildEvents): ChildProcess {
  const options = JSON.parse(args[0] ?? '') as IndexProcessOptions
  const post = (message: IndexMessage) => onMessage(structuredClone(message))
  const engine = createEngine({ ...options, onNotice: (notice) => post({ notice }) })
  const requests = new Sequencer()

  async function answer({ id, method, params }: IndexRequest): Promise<void> {
    try {
      const run = engine[method] as (...given: unknown[]) => unknown
      post({ id, result: await run.apply(engine, params) })
    } catch (error) {
      post({ id, failure: failureOf(error) })
    }
    if (method === 'close') onExit('exit code 0')
  }

  return {
    pid: undefined,
    post: (message) => void requests.queue(() => answer(structuredClone(message) as IndexRequest)),
    kill: () => {
      engine.closeAndDelete()
      onExit('signal SIGKILL')
    },
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof ToolError) return { code: error.code, message: error.message, next: error.next }
  return { code: 'internal', message: error instanceof Error ? error.message : String(error), next: '' }
}
