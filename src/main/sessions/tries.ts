import { randomUUID } from 'node:crypto'
import type { TurnOutcome } from '../../shared/agent/conversation.ts'
import { toFailure, ToolError } from '../../shared/errors.ts'
import type { TryOptions, TryResult, TryTest } from '../../shared/agent/sessionTries.ts'
import { changedLines } from './mergeChange.ts'
import type { SessionRecord } from './sessionRecords.ts'
import type { Sessions } from './sessions.ts'

// Several sessions for one prompt, for the window and the command line.

export interface NewTries {
  /** Root of a repository. */
  folder: string
  prompt: string
  /** Options of each try. */
  tries: readonly TryOptions[]
  /** Command that runs in each worktree after the turn. */
  test?: string | undefined
  /** Beginning of the names of the sessions. Default: the first free one of `task-1`, `task-2`, and so on. */
  name?: string
}

type Lines = Record<'added' | 'removed', number>

/** Maximum characters of the prompt that are stored as the title of the task. */
const maxTitle = 500
/** Maximum characters of the output of a test that are stored. */
const maxOutput = 4000

/**
 * Makes a session for each try.
 *
 * @returns the sessions, and files that were not copied into them
 * @throws like `Sessions.create`; no session is left
 */
export async function createTries(
  sessions: Pick<Sessions, 'create' | 'remove' | 'records'>,
  { folder, prompt, tries, test, name }: NewTries,
): Promise<{ made: SessionRecord[]; skipped: string[] }> {
  const task = randomUUID()
  const prefix = name ?? (await freePrefix(sessions, folder))
  const made: SessionRecord[] = []
  const skipped = new Set<string>()
  try {
    for (const [index, options] of tries.entries()) {
      const number = index + 1
      const created = await sessions.create({
        folder,
        name: `${prefix}-${number}`,
        try: { ...options, task, title: prompt.trim().slice(0, maxTitle), number, ...(test !== undefined && { test }) },
      })
      made.push(created.session)
      for (const file of created.skipped) skipped.add(file)
    }
  } catch (error) {
    // Nothing has worked in them. The first error is the one to report.
    for (const { id } of made) await sessions.remove(id).catch(() => undefined)
    throw error
  }
  return { made, skipped: [...skipped] }
}

async function freePrefix(sessions: Pick<Sessions, 'records'>, folder: string): Promise<string> {
  const used = new Set((await sessions.records([folder])).map(({ name }) => name.replace(/-\d+$/, '')))
  for (let number = 1; ; number += 1) if (!used.has(`task-${number}`)) return `task-${number}`
}

/** The turn of a try. */
export interface TriedTurn {
  outcome: TurnOutcome
  /** Sum of the tokens of all prompts and answers. */
  tokens: number
  seconds: number
}

/**
 * Runs the test of a try whose turn has ended, and stores what came of it.
 *
 * @param check runs a command in the worktree
 */
export async function finishTry(
  sessions: Pick<Sessions, 'find' | 'changes' | 'endTry'>,
  { id, try: own }: SessionRecord,
  turn: TriedTurn,
  check: (command: string) => Promise<{ exitCode: number | null; output: string }>,
): Promise<TryResult> {
  try {
    const test = own?.test === undefined || turn.outcome === 'cancelled' ? undefined : await runTest(own.test, check)
    const result: TryResult = { ...turn, ...(await measure(sessions, id)), ...(test && { test }) }
    await sessions.endTry(id, result)
    return result
  } catch (error) {
    await failTry(sessions, id, error, turn)
    throw error
  }
}

/**
 * Stores why a try failed before or outside its turn, unless it is stored already. `tokens` and `seconds` are those of
 * its turn, if that has ended.
 *
 * @returns what is stored
 */
export async function failTry(
  sessions: Pick<Sessions, 'find' | 'changes' | 'endTry'>,
  id: string,
  error: unknown,
  { tokens, seconds }: Pick<TryResult, 'tokens' | 'seconds'> = { tokens: null, seconds: null },
): Promise<TryResult> {
  const stored = (await sessions.find(id)).try?.result
  if (stored) return stored
  const { message, code } = toFailure(error)
  const outcome = code === 'cancelled' ? 'cancelled' : 'failed'
  // The worktree may be missing.
  const lines = await measure(sessions, id).catch(() => ({ files: null, added: null, removed: null }))
  const result: TryResult = { outcome, error: message, tokens, seconds, ...lines }
  await sessions.endTry(id, result)
  return result
}

async function measure(sessions: Pick<Sessions, 'changes'>, id: string): Promise<Lines & { files: number }> {
  const { changes, skipped } = await sessions.changes(id)
  const lines = changes.map(changedLines).reduce(plus, { added: 0, removed: 0 })
  return { files: changes.length + skipped.length, ...lines }
}

function plus(one: Lines, other: Lines): Lines {
  return { added: one.added + other.added, removed: one.removed + other.removed }
}

async function runTest(command: string, check: Parameters<typeof finishTry>[3]): Promise<TryTest> {
  try {
    const { exitCode, output } = await check(command)
    return { exitCode, output: output.slice(-maxOutput), ran: true }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { exitCode: null, output: error.message, ran: false }
  }
}
