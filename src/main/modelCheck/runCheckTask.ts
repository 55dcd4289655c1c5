import { randomUUID } from 'node:crypto'
import type { AssistantItem, ConversationItem, ModelChoice, TurnOutcome } from '../../shared/agent/conversation.ts'
import type { CheckStepResult, FindingCode } from '../../shared/models/modelCheck.ts'
import type { ToolsetName } from '../../shared/tools/risk.ts'
import type { Core } from '../core/coreContract.ts'
import { plural } from '../../shared/text/plural.ts'
import { runTurn } from '../core/runTurn.ts'
import { observeTask, type Observations } from './observations.ts'
import { readText, writeFiles, type CheckFolder } from './taskFolder.ts'
import type { CheckTask, TaskRun } from './tasks/checkTask.ts'

/**
 * Changes run without approval; other calls require it. The check allows the task's commands and refuses everything
 * else, so that an unknown model can do no harm.
 */
const mode = 'cautious'

const never = new AbortController().signal

export interface TaskOutcome {
  state: Extract<CheckStepResult['state'], 'passed' | 'failed' | 'skipped' | 'cancelled'>
  requests: number
  calls: number
  note?: string
  /** An error message, which may name the server. */
  detail?: string
  finding?: FindingCode
  /** A request ended the task with an error. */
  requestFailed: boolean
  /** Absent if the task was skipped. */
  observations?: Observations
}

export interface TaskRunOptions {
  core: Core
  folder: CheckFolder
  choice: ModelChoice
  toolset: ToolsetName
  /** Time limit in milliseconds. */
  limitMs: number
  /** Ends the task as cancelled, and its request at the server. */
  signal: AbortSignal
}

/** Lets the model work on a task in a new folder: the product's core, agent loop and tools. */
export async function runTask(task: CheckTask, options: TaskRunOptions): Promise<TaskOutcome> {
  const { core, folder, choice, toolset, limitMs, signal } = options
  const root = await folder.add(task.step, task.files)
  await core.openWorkspace(root)
  // Runs through the executor, because the model's commands find programs the same way.
  if (task.needs !== undefined && !(await commandSucceeds(core, `${task.needs} --version`, signal)))
    return {
      state: signal.aborted ? 'cancelled' : 'skipped',
      requests: 0,
      calls: 0,
      requestFailed: false,
      note: `The program "${task.needs}" is not installed.`,
    }
  const { info } = await core.handlers['conversations.create']({}, never)
  const { id } = info
  await core.handlers['conversations.update']({ id, model: choice, mode, toolset, title: task.step }, never)

  const limit = AbortSignal.timeout(limitMs)
  const stopAnswering = answerApprovals(core, (command) => task.allowedCommands?.test(command) === true)
  let outcome: TurnOutcome
  try {
    outcome = await runTurn(core, { id, text: task.prompt, interrupted: AbortSignal.any([signal, limit]) })
  } finally {
    stopAnswering()
  }
  const opened = await core.handlers['conversations.open']({ id }, never)
  const items = opened.items.slice(1)
  const result = {
    requests: items.filter(({ kind }) => kind === 'assistant').length,
    calls: items.filter(({ kind }) => kind === 'tool').length,
    requestFailed: outcome === 'endpoint_failed',
    observations: observeTask(items),
  }
  if (signal.aborted) return { ...result, state: 'cancelled' }
  const ending = earlyEnd(outcome, limit.aborted, limitMs, items)
  const problem = ending ?? (await task.problem(taskRun(task, { ...options, root }, items)))
  return { ...result, state: problem === undefined ? 'passed' : 'failed', ...problem }
}

function taskRun(
  task: CheckTask,
  { core, root, signal }: TaskRunOptions & { root: string },
  items: readonly ConversationItem[],
): TaskRun {
  return {
    items,
    answer: items.findLast((item): item is AssistantItem => item.kind === 'assistant')?.text ?? '',
    read: (path) => readText(root, path),
    restore: (paths) =>
      writeFiles(
        root,
        task.files.filter(([path]) => paths.some((start) => path.startsWith(start))),
      ),
    succeeds: (command) => commandSucceeds(core, command, signal),
  }
}

/**
 * Runs a command in the open folder with the product's tool. It thus runs in the sandbox, because it may execute code
 * that the model wrote. @returns whether it succeeded
 */
async function commandSucceeds(core: Core, command: string, signal: AbortSignal): Promise<boolean> {
  const stopAnswering = answerApprovals(core, (requested) => requested === command)
  try {
    const { ok, view } = await core.executor.call({
      callId: randomUUID(),
      name: 'run_command',
      arguments: { command },
      toolset: 'blade',
      mode,
      attended: true,
      signal,
    })
    return ok && view.kind === 'command' && view.job.exitCode === 0
  } finally {
    stopAnswering()
  }
}

const endingNotes: Readonly<Record<TurnOutcome, string | undefined>> = {
  done: undefined,
  // The task decides about refused calls.
  approval_needed: undefined,
  turn_limit: 'Stopped at the request limit.',
  stuck: 'Stopped because the model repeated itself.',
  repeating: 'Stopped because the answer repeated itself.',
  truncated: 'The answer was truncated.',
  cancelled: 'The task was stopped.',
  endpoint_failed: 'A request failed.',
  failed: 'The task failed because of an error in Tizona.',
}

/** Returns why the turn did not end by itself; undefined if it did. */
function earlyEnd(
  outcome: TurnOutcome,
  isTimeout: boolean,
  limitMs: number,
  items: readonly ConversationItem[],
): { note: string; detail?: string } | undefined {
  if (isTimeout)
    return { note: `Stopped after ${plural(Math.round(limitMs / 1000), 'second')}, the time limit of a task.` }
  const note = endingNotes[outcome]
  if (note === undefined) return undefined
  const notice = items.findLast((item) => item.kind === 'notice')
  return { note, ...(notice?.kind === 'notice' && { detail: notice.text }) }
}

/**
 * Answers the approvals of a core: allows these commands and refuses everything else.
 * @returns a function that stops it
 */
function answerApprovals(core: Core, isAllowed: (command: string) => boolean): () => void {
  return core.subscribe((name, payload) => {
    if (name !== 'approval.requested' || payload === null || !('requestedAt' in payload)) return
    const decision =
      payload.command !== undefined && isAllowed(payload.command.trim())
        ? ({ kind: 'once' } as const)
        : ({ kind: 'refuse', reason: 'The user does not allow this.' } as const)
    void Promise.resolve(core.handlers['approvals.decide']({ requestId: payload.id, decision }, never))
  })
}
