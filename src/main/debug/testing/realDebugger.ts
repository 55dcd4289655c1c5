import { env } from 'node:process'
import { expect, onTestFinished, type TestContext } from 'vitest'
import type { DebugTarget } from '../../../shared/debug/debugRequests.ts'
import { findProgramByName, searchPathOf } from '../../base/programSearch.ts'
import type { DebugSession } from '../debugSession.ts'
import { openDebugFolder, type DebugFolder } from './debugFolder.ts'

/**
 * Opens a folder for a test with an installed debugger. Skips the test with the reason if the debugger or one of the
 * programs is missing. `TIZONA_JS_DEBUG` names js-debug's server.
 */
export async function folderWithDebugger(
  context: Pick<TestContext, 'skip'>,
  debuggerId: string,
  files: Readonly<Record<string, string>>,
  programs: readonly string[] = [],
): Promise<DebugFolder> {
  const missing = programs.find((name) => findProgramByName(name, searchPathOf(env)) === undefined)
  if (missing !== undefined) context.skip(`${missing} is not installed`)
  const folder = await openDebugFolder(files, { scriptPath: () => env['TIZONA_JS_DEBUG'] ?? '' })
  onTestFinished(() => folder.close())
  const status = (await folder.sessions.debuggers()).find(({ id }) => id === debuggerId)
  if (status?.missing) context.skip(status.missing.reason)
  return folder
}

/** Starts what the user chose. @returns its first session */
export async function startTarget({ sessions, targets }: DebugFolder, target: DebugTarget): Promise<DebugSession> {
  const signal = AbortSignal.timeout(60_000)
  const [options] = await targets.resolve(target, 'user', signal)
  if (options === undefined) throw new Error('Nothing to start.')
  return sessions.start(options, signal)
}

/** Waits until a session has stopped. js-debug debugs nothing in its first one. */
export async function stoppedSession({ sessions, text }: DebugFolder): Promise<DebugSession> {
  const find = (): DebugSession | undefined => sessions.running().find((each) => each.info().state === 'stopped')
  await expect.poll(() => find() !== undefined || `running; output: ${text()}`, { timeout: 30_000 }).toBe(true)
  const session = find()
  if (session === undefined) throw new Error('The program has continued.')
  return session
}

/** The frame in which the program has stopped. */
export async function topFrame(
  session: DebugSession,
): Promise<{ id: number; path?: string; line: number; name: string }> {
  const [frame] = (await session.stack(session.info().stop?.threadId ?? 0, 0, 1)).frames
  if (frame === undefined) throw new Error('The stack is empty.')
  return frame
}

/** Value of an expression where the program has stopped. */
export async function valueOf(session: DebugSession, expression: string): Promise<string> {
  const { value } = await session.evaluate({ expression, frameId: (await topFrame(session)).id, context: 'watch' })
  return value
}
