import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { isAbort, ToolError } from '../../shared/errors.ts'
import type { TryOptions, TryResult } from '../../shared/agent/sessionTries.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { Platform } from '../appServices/platform.ts'
import { log } from '../base/log/log.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import type { Core } from './coreContract.ts'
import type { Attempt, OpenCores, OwnTries, SentImages } from './openCores.ts'
import { runTurn } from './runTurn.ts'
import { tokensOf } from './sessionFacts.ts'

export interface TaskRequest {
  /** Root of the repository. */
  folder: string
  prompt: string
  images?: SentImages | undefined
  mode?: Mode | undefined
  tries: readonly (Omit<TryOptions, 'model'> & { model?: ModelChoice | undefined })[]
  test?: string | undefined
}

/** The tries of tasks that this core has started. Each runs in a core of its own, which the host opens hidden. */
export interface Tries extends OwnTries {
  /**
   * Makes the sessions and starts them.
   *
   * @returns id of the task, and files that were not copied into the worktrees
   * @throws like `WorktreeSessions.createTries`, ToolError `no_window` if the host opens no hidden folders, `cancelled`
   * after `stopAll`
   */
  start(request: TaskRequest): Promise<{ task: string; skipped: string[] }>
  /** Whether any is running or being made. */
  isWorking(): boolean
  /** Stops tries of any core. Resolves when they have ended. */
  stop(sessions: readonly string[]): Promise<void>
  /** Stops all tries of this core. Those that are being made are removed, and no others start. */
  stopAll(): Promise<void>
}

interface TriesDeps {
  cores: OpenCores
  sessions: Core['sessions']
  platform: Pick<Platform, 'openHidden' | 'closeHidden'>
}

export function createTaskTries({ cores, sessions, platform }: TriesDeps): Tries {
  const running = new Map<string, { stop: AbortController; ended: Promise<void> }>()
  const starting = new Set<Promise<unknown>>()
  let isStopped = false

  async function run(session: SessionRecord, attempt: Attempt, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted()
      await platform.openHidden?.(session.worktree)
      const core = cores.all().find((each) => each.folder() === session.worktree)
      if (core === undefined)
        throw new ToolError('io_error', `${session.worktree} was closed before its turn began.`, 'Try again.')
      await core.attempt(session, attempt, signal)
    } catch (error) {
      if (!(error instanceof ToolError || isAbort(error))) log.error(`The try "${session.name}" failed`, error)
      // Its core may have been closed first. The session may have been removed.
      await sessions.failTry(session.id, signal.aborted ? signal.reason : error).catch(() => undefined)
    } finally {
      await platform.closeHidden?.(session.worktree)
    }
  }

  function begin(session: SessionRecord, attempt: Attempt): void {
    const stop = new AbortController()
    const ended = run(session, attempt, stop.signal)
      .catch((error: unknown) => log.error(`The try "${session.name}" was not ended completely`, error))
      .finally(() => {
        running.delete(session.id)
        cores.changed()
      })
    running.set(session.id, { stop, ended })
  }

  async function stopOwn(ids: readonly string[]): Promise<void> {
    const found = ids.flatMap((id) => running.get(id) ?? [])
    for (const each of found) each.stop.abort()
    await Promise.all(found.map(({ ended }) => ended))
  }

  async function start({ folder, prompt, images, mode, tries, test }: TaskRequest): ReturnType<Tries['start']> {
    const options = tries.map(({ model, ...each }) => ({ ...each, ...(model && { model: model.model }) }))
    const { made, skipped } = await sessions.createTries({ folder, prompt, tries: options, test })
    if (isStopped) {
      for (const { id, name } of made)
        await sessions.remove(id).catch((error: unknown) => log.error(`The try "${name}" was not removed`, error))
      throw stoppedError()
    }
    for (const [index, session] of made.entries()) begin(session, { prompt, images, mode, model: tries[index]?.model })
    return { task: made[0]?.try?.task ?? '', skipped }
  }

  return {
    async start(request) {
      if (!platform.openHidden)
        throw new ToolError('no_window', 'This host opens no folders in the background.', 'Use "tizona tries" instead.')
      if (isStopped) throw stoppedError()
      const started = start(request)
      starting.add(started)
      try {
        return await started
      } finally {
        starting.delete(started)
        cores.changed()
      }
    },
    isRunning: (session) => running.has(session),
    isWorking: () => running.size > 0 || starting.size > 0,
    async stop(ids) {
      await Promise.all(cores.all().map((each) => each.tries.stopOwn(ids)))
    },
    stopOwn,
    async stopAll() {
      isStopped = true
      await Promise.all([stopOwn([...running.keys()]), Promise.allSettled(starting)])
    },
  }
}

const stoppedError = () =>
  new ToolError('cancelled', 'The window was closed before the tries started.', 'Start them again.')

/**
 * Sends the prompt of a try in the core that has its worktree open, and stores what came of it.
 *
 * @throws ToolError if its set-up command or its turn cannot run
 */
export async function attemptTry(
  { handlers, subscribe, sessions }: Pick<Core, 'handlers' | 'subscribe' | 'sessions'>,
  session: SessionRecord,
  { prompt, images, mode, model }: Attempt,
  interrupted: AbortSignal,
): Promise<TryResult> {
  const signal = new AbortController().signal
  if ((await sessions.setUpCommand(session.folder))?.approved === true) {
    const result = await sessions.setUp(session, interrupted)
    if (result !== undefined && result.exitCode !== 0)
      throw new ToolError(
        'io_error',
        `The set-up command failed in ${session.worktree}: ${result.output.slice(-maxReason)}`,
        'Run it there, or change it in .tizona/settings.json.',
      )
  }
  const toolset = session.try?.toolset
  const created = await handlers['conversations.create']({}, signal)
  const change = { ...(mode && { mode }), ...(model && { model }), ...(toolset && { toolset }) }
  const { id } = await handlers['conversations.update']({ id: created.info.id, ...change }, signal)
  await sessions.setConversation(session.id, id)
  const started = performance.now()
  const outcome = await runTurn({ handlers, subscribe }, { id, text: prompt, ...(images && { images }), interrupted })
  const seconds = Math.round((performance.now() - started) / 1000)
  const { items } = await handlers['conversations.open']({ id }, signal)
  const turn = { outcome, seconds, tokens: tokensOf(items) }
  return sessions.finishTry(session, turn, interrupted)
}

/** Maximum characters of the output that tell why a set-up command failed. */
const maxReason = 500
