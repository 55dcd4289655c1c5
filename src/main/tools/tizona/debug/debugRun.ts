import { z } from 'zod'
import type { BreakpointStatus, LineBreakpoint } from '../../../../shared/debug/debug.ts'
import { plural } from '../../../../shared/text/plural.ts'
import type { DebugSession } from '../../../debug/debugSession.ts'
import { defineTool, type ToolContext } from '../../common/toolDefinition.ts'
import { countStops, stopsLeft } from './agentSession.ts'
import {
  describeBound,
  describeException,
  describeExpressions,
  describeLocals,
  describeOutput,
  describeStack,
  seeMoreHint,
  isShortened,
  limitLines,
  maxResult,
  frameLocation,
} from './describeDebug.ts'
import { debugCommandLine, previewBreakpoints, resolveTarget, targetParameters } from './debugTarget.ts'

/** Maximum total run time of the program in milliseconds. Excludes building it and reading values. */
const maxRunMs = 60_000
/** Time limit in milliseconds for pausing a running program and describing its position. */
const pauseMs = 3000
const maxHits = 50

const schema = () =>
  z.object({
    ...targetParameters,
    breakpoints: z
      .array(
        z.object({
          path: z.string().min(1),
          line: z.number().int().min(1),
          condition: z.string().min(1).optional(),
          expressions: z.array(z.string().min(1)).max(10).optional(),
        }),
      )
      .max(20)
      .default([])
      .describe('Where to stop.'),
    on_exception: z.boolean().default(true).describe('Also record unhandled exceptions.'),
    max_hits: z.number().int().min(1).max(maxHits).default(10).describe('Stops to record.'),
  })
type Arguments = z.output<ReturnType<typeof schema>>

/** Maximum characters of a stop, and of the breakpoint report. Both fit into a result together with the output. */
const maxHit = 3500
const maxBound = 1000

const exceptionTitle = 'Exception: '

/** A recorded stop. */
interface Hit {
  title: string
  lines: string[]
  /** An expression took too long, so the debugger answers no more requests. */
  isStuck?: boolean
}

export const debugRun = defineTool({
  name: 'debug_run',
  title: 'Debug a run',
  description: 'Debugs a program or test and returns values. Shows an exception with its frames.',
  risk: 'execute',
  forClients: true,
  schema,
  unlistedParameters: ['args', 'configuration', 'on_exception', 'max_hits'],
  examples: [{ program: 'main.py', breakpoints: [{ path: 'main.py', line: 2, expressions: ['x'] }] }],
  reads: ({ program, test }) => [program ?? test?.split('::')[0]].flatMap((path) => path ?? []),
  async commandLine(args, context) {
    const code = args.breakpoints.flatMap(({ condition, expressions = [] }) => [condition ?? [], expressions].flat())
    return debugCommandLine(await resolveTarget(args, context), code)
  },
  preview: ({ breakpoints: lines }) => Promise.resolve(previewBreakpoints(lines)),
  async run(args, context) {
    const { sessions } = context.debug
    const left = stopsLeft('', context)
    const options = await resolveTarget(args, context)
    const lines = await ownLines(args, context)
    const session = await sessions.start(
      { ...options, own: { lines, exceptions: args.on_exception }, conversationId: context.conversationId },
      context.signal,
    )
    const { id } = session.info()
    const statuses = new Map<string, BreakpointStatus>()
    const readStatuses = (): ReadonlyMap<string, BreakpointStatus> => {
      for (const each of sessions.family(id))
        for (const [key, status] of Object.entries(each.info().breakpoints)) statuses.set(key, status)
      return statuses
    }
    try {
      const maximum = Math.min(args.max_hits, left)
      const { hits, end } = await recordHits(session, { ...args, max_hits: maximum }, lines, context, readStatuses)
      countStops(hits.length, id, context)
      const bound = describeBound(lines, statuses)
      // The exception was described with its frames, so its traceback is left out.
      const hasFailed = hits.some(({ title }) => title.startsWith(exceptionTitle))
      const output = describeOutput(hasFailed ? sessions.standardOutput(id) : sessions.output(id).text)
      return { text: report(`${options.name}: ${plural(hits.length, 'stop')}. ${end}`, hits, bound, output) }
    } finally {
      // The user may go on in a session that they have taken over.
      if (!isTaken(id, context)) await session.stop()
    }
  },
})

type OwnLine = Pick<LineBreakpoint, 'id' | 'path' | 'line'>

async function ownLines({ breakpoints }: Arguments, { workspace }: ToolContext) {
  return Promise.all(
    breakpoints.map(async ({ path, line, condition }, index) => ({
      id: `agent-${index}`,
      path: (await workspace.resolve(path)).relative,
      line,
      enabled: true,
      ...(condition !== undefined && { condition }),
    })),
  )
}

/** Whether the user has stepped in a session of the run. It then belongs to the user. */
const isTaken = (id: string, { debug: { sessions } }: ToolContext): boolean =>
  sessions.family(id).some((each) => each.info().owner === 'user')

/**
 * Continues the program until it ends, and records each stop.
 * @param readStatuses called at each stop, because the debugger forgets breakpoints at the end
 */
async function recordHits(
  root: DebugSession,
  args: Arguments,
  lines: readonly OwnLine[],
  context: ToolContext,
  readStatuses: () => ReadonlyMap<string, BreakpointStatus>,
): Promise<{ hits: Hit[]; end: string }> {
  const { sessions } = context.debug
  const { id } = root.info()
  const hits: Hit[] = []
  const taken = () => ({ hits, end: `The user took over the session. ${whereNow(id, context)}` })
  let left = maxRunMs
  for (;;) {
    const from = performance.now()
    const stopped = await nextStop(id, context, left)
    left -= performance.now() - from
    const statuses = readStatuses()
    if (isTaken(id, context) && stopped !== 'ended') return taken()
    if (stopped === 'ended') {
      const exitCode = sessions
        .family(id)
        .find((each) => each.info().exitCode !== undefined)
        ?.info().exitCode
      return {
        hits,
        end: exitCode === undefined ? 'The program ended.' : `The program ended with exit code ${exitCode}.`,
      }
    }
    if (stopped === 'late')
      return {
        hits: [...hits, ...(await whereItIs(id, context))],
        end: `The program was ended because it still ran after ${maxRunMs / 1000} s.`,
      }
    try {
      hits.push(await hitOf(stopped, args, boundLines(lines, statuses), context.signal))
    } catch (error) {
      // Values are gone if the user steps while they are read.
      if (!isTaken(id, context)) throw error
    }
    if (isTaken(id, context)) return taken()
    if (hits.at(-1)?.isStuck === true)
      return { hits, end: 'The program was ended because an expression took too long.' }
    if (hits.length >= args.max_hits) return { hits, end: 'The program was ended because of max_hits.' }
    await stopped.control('continue')
  }
}

/** Waits for a session of the family that has stopped, or for the end of all. */
async function nextStop(
  id: string,
  { debug: { sessions }, signal }: ToolContext,
  left: number,
): Promise<DebugSession | 'ended' | 'late'> {
  const late = AbortSignal.timeout(Math.max(0, Math.round(left)))
  for (;;) {
    const family = sessions.family(id)
    const stopped = family.find((each) => each.info().state === 'stopped')
    if (stopped) return stopped
    if (family.every((each) => each.info().state === 'ended')) return 'ended'
    signal.throwIfAborted()
    // A program that the user has taken over is not ended, so the call does not wait for it.
    if (late.aborted || family.some((each) => each.info().owner === 'user')) return 'late'
    const { promise, resolve } = Promise.withResolvers<void>()
    const stops = [sessions.onChange(resolve)]
    for (const each of [late, signal]) {
      const wake = (): void => resolve()
      each.addEventListener('abort', wake, { once: true })
      stops.push(() => each.removeEventListener('abort', wake))
    }
    await promise
    for (const stop of stops) stop()
  }
}

/** Returns the breakpoints, at the lines where the debugger has bound them. */
const boundLines = (lines: readonly OwnLine[], statuses: ReadonlyMap<string, BreakpointStatus>): OwnLine[] =>
  lines.map((each) => ({ ...each, line: statuses.get(each.id)?.line ?? each.line }))

/** Describes the state of a session that the user has taken over. */
function whereNow(id: string, { debug: { sessions } }: ToolContext): string {
  const isStopped = sessions.family(id).some((each) => each.info().state === 'stopped')
  return `The program ${isStopped ? 'has stopped' : 'is running'}, and the user decides how it continues.`
}

async function hitOf(
  session: DebugSession,
  { breakpoints }: Arguments,
  lines: readonly OwnLine[],
  signal: AbortSignal,
): Promise<Hit> {
  const info = session.info()
  const threadId = info.stop?.threadId ?? 0
  const { frames, total } = await session.stack(threadId, 0, 20)
  const [top] = frames
  if (top === undefined) return { title: `Stop: ${info.stop?.reason ?? 'unknown'}`, lines: [] }
  if (info.stop?.reason === 'exception') {
    const own = frames.find((frame) => frame.path !== undefined) ?? top
    const title = `${exceptionTitle}${await describeException(session, info)}`
    return { title, lines: [...describeStack(frames, total), ...(await describeLocals(session, own.id))] }
  }
  const index = lines.findIndex(({ path, line }) => path === top.path && line === top.line)
  const expressions = breakpoints[index]?.expressions
  const title = `${frameLocation(top)} ${top.name}`
  if (expressions === undefined) return { title, lines: await describeLocals(session, top.id) }
  return { title, ...(await describeExpressions(session, top.id, expressions, signal)) }
}

/** Pauses a running program and describes its position. */
async function whereItIs(id: string, { debug: { sessions } }: ToolContext): Promise<Hit[]> {
  const running = sessions.family(id).find((each) => each.info().state === 'running' && each.info().threads.length > 0)
  if (running === undefined) return []
  try {
    const { stopCount } = running.info()
    await running.control('pause')
    await running.stoppedAfter(stopCount, AbortSignal.timeout(pauseMs))
    const { frames, total } = await running.stack(running.info().stop?.threadId ?? 0, 0, 20)
    const [top] = frames
    const locals = top === undefined ? [] : await describeLocals(running, top.id)
    return [{ title: 'Still running at', lines: [...describeStack(frames, total), ...locals] }]
  } catch {
    // The debugger cannot pause it.
    return []
  }
}

/** Joins the parts of the result. Stops in the middle are left out if there is too much. */
function report(head: string, hits: readonly Hit[], bound: readonly string[], output: string): string {
  const parts = hits.map(({ title, lines }, index) =>
    limitLines([`${index + 1}. ${title}`, ...lines.map((line) => `   ${line}`)], maxHit),
  )
  const rest = [
    ...(bound.length > 0 ? [limitLines(bound, maxBound)] : []),
    ...(output === '' ? [] : [output]),
    ...(hits.some(({ lines }) => lines.some(isShortened)) ? [seeMoreHint] : []),
  ]
  const free = maxResult - [head, ...rest].join('\n\n').length
  return [head, ...fitting(parts, free), ...rest].join('\n\n')
}

/** Returns the first and last parts that fit, and how many are missing between them. */
function fitting(parts: readonly string[], free: number): string[] {
  if (parts.join('\n\n').length <= free) return [...parts]
  const first: string[] = []
  const last: string[] = []
  let left = free - 60
  for (let index = 0; index < parts.length; index++) {
    const fromEnd = index % 2 === 1
    const part = fromEnd ? parts[parts.length - 1 - (index - 1) / 2] : parts[index / 2]
    if (part === undefined || part.length + 2 > left) break
    left -= part.length + 2
    if (fromEnd) last.unshift(part)
    else first.push(part)
  }
  const missing = parts.length - first.length - last.length
  return [...first, `(${plural(missing, 'stop')} left out. Use a condition or fewer expressions to see them.)`, ...last]
}
