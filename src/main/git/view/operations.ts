import { stripVTControlCharacters } from 'node:util'
import { ToolError } from '../../../shared/errors.ts'
import type { GitProgress } from '../../../shared/git/git.ts'
import type { Credentials } from './gitCredentials.ts'

/** What a running user action needs. */
export interface Operation {
  id: string
  signal: AbortSignal
  /** Receives git's standard error and reports its progress lines. */
  onErrors(text: string): void
  /** Variables that let git and ssh prompt the user. */
  env: Record<string, string>
  /** Answers further prompts like earlier ones of the same text. */
  answersAccepted(): void
}

export interface Operations {
  /** Runs an action that the user can cancel. It continues if the window reloads. */
  run<T>(id: string, act: (operation: Operation) => Promise<T>): Promise<T>
  cancel(id: string): void
  /** Cancels all actions. Resolves when they have ended. */
  close(): Promise<void>
}

export function createOperations(
  onProgress: (progress: GitProgress) => void,
  credentials?: Pick<Credentials, 'open' | 'close' | 'accepted'>,
): Operations {
  const running = new Map<string, { controller: AbortController; ended: Promise<unknown> }>()
  /** Lets git prompt the user while the action runs. */
  async function start<T>(
    id: string,
    act: (operation: Operation) => Promise<T>,
    signal: AbortSignal,
    onErrors: (text: string) => void,
  ): Promise<T> {
    try {
      const env = (await credentials?.open(id)) ?? {}
      signal.throwIfAborted()
      return await act({ id, signal, onErrors, env, answersAccepted: () => credentials?.accepted(id) })
    } catch (error) {
      if (signal.aborted) throw new ToolError('cancelled', 'Cancelled.', '', { cause: error })
      throw error
    } finally {
      credentials?.close(id)
    }
  }

  return {
    async run(id, act) {
      if (running.has(id))
        throw new ToolError(
          'conflict',
          'An action with this id is already running.',
          'Use a unique id for each action.',
        )
      const controller = new AbortController()
      const report = createProgressReader((text, percent) =>
        onProgress({ operation: id, text, ...(percent !== undefined && { percent }) }),
      )
      const ended = start(id, act, controller.signal, report)
      running.set(id, { controller, ended })
      try {
        return await ended
      } finally {
        running.delete(id)
      }
    },
    cancel: (id) => running.get(id)?.controller.abort(),
    async close() {
      const all = [...running.values()]
      for (const { controller } of all) controller.abort()
      await Promise.allSettled(all.map(({ ended }) => ended))
    },
  }
}

/** Minimum milliseconds between two reports of the same progress. */
const reportInterval = 100
const maxLine = 500

/** Splits output into lines, which git ends with `\r` while counting, and reports them at a limited rate. */
function createProgressReader(report: (text: string, percent?: number) => void): (text: string) => void {
  let rest = ''
  let last = 0
  let label = ''
  return (text) => {
    const lines = (rest + text).split(/[\r\n]+/)
    rest = (lines.pop() ?? '').slice(-maxLine)
    for (const line of lines.map(stripVTControlCharacters)) {
      const [, name, percent] = /^(?:remote: )?(.*?):\s+(\d{1,3})% \(/.exec(line) ?? []
      const now = performance.now()
      if (line.trim() === '') continue
      if (name !== undefined && name === label && percent !== '100' && now - last < reportInterval) continue
      label = name ?? ''
      last = now
      if (name !== undefined) report(name, Math.min(Number(percent), 100))
      else report(line.trim().slice(0, maxLine))
    }
  }
}
