import { ToolError } from '../../../../shared/errors.ts'
import type { DebugSession } from '../../../debug/debugSession.ts'
import type { DebugSessions } from '../../../debug/debugSessions.ts'
import type { ToolContext, ToolOutput } from '../../common/toolDefinition.ts'
import {
  describeException,
  describeLocals,
  describeOutput,
  describeStack,
  limitLines,
  frameLocation,
} from './describeDebug.ts'

// The debug session of a conversation. It has one at a time.

/** Milliseconds that a call waits for the next stop. */
const waitMs = 20_000
/** Maximum number of stops per turn, so that a model that only steps does not continue forever. */
const maxStops = 200
/** Maximum number of conversations and sessions whose stops are counted. */
const maxCounted = 1000

/** Stops in the latest turn of each conversation. Callers without turns, such as MCP clients, have one for each session. */
const stopsInTurns = new WeakMap<DebugSessions, Map<string, { turn: string; count: number }>>()

function stopsInTurn(rootId: string, { debug: { sessions }, conversationId, turn }: ToolContext): { count: number } {
  const all = stopsInTurns.get(sessions) ?? new Map<string, { turn: string; count: number }>()
  stopsInTurns.set(sessions, all)
  const key = turn === undefined ? `session ${rootId}` : `conversation ${conversationId ?? ''}`
  const name = turn ?? rootId
  const known = all.get(key)
  const stops = known?.turn === name ? known : { turn: name, count: 0 }
  // The least recently used are forgotten first.
  all.delete(key)
  all.set(key, stops)
  for (const oldest of all.keys()) {
    if (all.size <= maxCounted) break
    all.delete(oldest)
  }
  return stops
}

/** Counts stops that a model gets. @param rootId the session, without its parents */
export function countStops(count: number, rootId: string, context: ToolContext): void {
  stopsInTurn(rootId, context).count += count
}

/**
 * Returns how many stops are left.
 * @param rootId the session, without its parents; '' before it starts
 * @throws ToolError `out_of_range` if none is left
 */
export function stopsLeft(rootId: string, context: ToolContext): number {
  const left = maxStops - stopsInTurn(rootId, context).count
  if (left > 0) return left
  throw new ToolError(
    'out_of_range',
    context.turn === undefined
      ? `The program has stopped ${maxStops} times in this session, which is the limit.`
      : `Your programs have stopped ${maxStops} times since the last message of the user, which is the limit.`,
    context.turn === undefined
      ? 'End it with debug_stop. Then use debug_run with a condition, so that it stops less often.'
      : 'Answer with what you have found. After the next message, use debug_run with a condition, so that it stops less often.',
  )
}

/** The session that this conversation started last, with the sessions that its debugger started. */
function agentFamily({ debug: { sessions }, conversationId }: ToolContext): DebugSession[] {
  const root = sessions.startedBy(conversationId).at(-1)
  if (root === undefined)
    throw new ToolError('not_found', 'You have no running debug session.', 'Start one with debug_start.')
  return sessions.family(root.info().id)
}

/** The session that has stopped, or else the running one. @throws ToolError not_found */
export function agentSession(context: ToolContext): DebugSession {
  const family = agentFamily(context)
  const live = family.filter((each) => each.info().state !== 'ended')
  const session = live.find((each) => each.info().state === 'stopped') ?? live.at(-1)
  if (session === undefined)
    throw new ToolError('not_found', 'The program has ended.', 'Start it again with debug_start.')
  return session
}

/** @throws ToolError `conflict` if the user steps in the session */
export async function checkOwner(session: DebugSession): Promise<void> {
  if (session.info().owner === 'agent') return
  throw new ToolError(
    'conflict',
    `The user has taken over the debug session. ${await stateText(session)}`,
    'Look with debug_stack and debug_variables, or ask the user to hand it back.',
  )
}

/** Describes where a session is, in a sentence. */
async function stateText(session: DebugSession): Promise<string> {
  const { state, stop } = session.info()
  if (state !== 'stopped') return `The program ${state === 'ended' ? 'has ended' : 'is running'}.`
  const [top] = (await session.stack(stop?.threadId ?? 0, 0, 1)).frames
  return top === undefined ? 'It has stopped.' : `It has stopped at ${frameLocation(top)} in ${top.name}.`
}

/** Waits for the next stop, and describes it. */
export async function nextStop(session: DebugSession, stopCount: number, context: ToolContext): Promise<ToolOutput> {
  const { sessions } = context.debug
  const rootId = agentRoot(session, context)
  const late = AbortSignal.timeout(waitMs)
  const family = (): DebugSession[] => sessions.family(rootId)
  const settled = (): DebugSession | undefined =>
    family().find((each) => each.info().state === 'stopped' && (each !== session || each.info().stopCount > stopCount))
  while (settled() === undefined && family().some((each) => each.info().state !== 'ended') && !late.aborted) {
    context.signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = sessions.onChange(resolve)
    const timer = setTimeout(resolve, 250)
    await promise
    clearTimeout(timer)
    stop()
  }
  const stopped = settled()
  if (stopped !== undefined) {
    countStops(1, rootId, context)
    return { text: await describeStop(stopped) }
  }
  if (family().every((each) => each.info().state === 'ended')) return { text: endText(rootId, context) }
  return { text: `Still running after ${waitMs / 1000} s. Wait with debug_wait, or stop it with debug_pause.` }
}

export function agentRoot(session: DebugSession, { debug: { sessions } }: ToolContext): string {
  let { id, parentId } = session.info()
  while (parentId !== undefined) ({ id, parentId } = sessions.session(parentId).info())
  return id
}

/** @param wasStopped the model has ended the program, so its exit code means nothing */
export function endText(rootId: string, { debug: { sessions } }: ToolContext, wasStopped = false): string {
  const ended = sessions
    .family(rootId)
    .find((each) => each.info().exitCode !== undefined)
    ?.info().exitCode
  const exitCode = wasStopped ? undefined : ended
  const head = exitCode === undefined ? 'The program has ended.' : `The program has ended with exit code ${exitCode}.`
  return [head, describeOutput(sessions.output(rootId).text)].filter((part) => part !== '').join('\n\n')
}

export async function describeStop(session: DebugSession): Promise<string> {
  const info = session.info()
  const { frames, total } = await session.stack(info.stop?.threadId ?? 0, 0, 20)
  const [top] = frames
  if (info.stop?.reason === 'exception')
    return [`Exception: ${await describeException(session, info)}`, ...describeStack(frames, total)].join('\n')
  if (top === undefined) return `Stopped: ${info.stop?.reason ?? 'unknown'}.`
  return limitLines([
    `Stopped at ${frameLocation(top)} in ${top.name} (${info.stop?.reason}).`,
    ...(await describeLocals(session, top.id)),
  ])
}
