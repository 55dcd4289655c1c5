import { z } from 'zod'
import { ToolError } from '../../../../shared/errors.ts'
import type { DebugSession } from '../../../debug/debugSession.ts'
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../common/toolDefinition.ts'
import {
  describeBound,
  describeException,
  describeLocals,
  describeOutput,
  describeStack,
  describeVariable,
  limitLines,
  frameLocation,
} from './describeDebug.ts'
import { debugCommandLine, evaluationLine, previewBreakpoints, resolveTarget, targetParameters } from './debugTarget.ts'

// Tools for models that can hold a session. A conversation has one session at a time.

/** Milliseconds that a call waits for the next stop. */
const waitMs = 20_000
/** Maximum number of stops per conversation, so that a model that only steps does not continue forever. */
const maxStops = 200
/** Maximum children that are read for each variable, and levels. */
const maxChildren = 20
const maxDepth = 3

const ownLine = z.object({
  path: z.string().min(1),
  line: z.number().int().min(1),
  condition: z.string().min(1).optional(),
})
type OwnLine = z.output<typeof ownLine>

/** The session that this conversation started last, with the sessions that its debugger started. */
function agentFamily({ debug: { sessions }, conversationId }: ToolContext): DebugSession[] {
  const root = sessions.startedBy(conversationId).at(-1)
  if (root === undefined)
    throw new ToolError('not_found', 'You have no running debug session.', 'Start one with debug_start.')
  return sessions.family(root.info().id)
}

/** The session that has stopped, or else the running one. @throws ToolError not_found */
function agentSession(context: ToolContext): DebugSession {
  const family = agentFamily(context)
  const live = family.filter((each) => each.info().state !== 'ended')
  const session = live.find((each) => each.info().state === 'stopped') ?? live.at(-1)
  if (session === undefined)
    throw new ToolError('not_found', 'The program has ended.', 'Start it again with debug_start.')
  return session
}

/** @throws ToolError `conflict` if the user steps in the session */
async function checkOwner(session: DebugSession): Promise<void> {
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
async function nextStop(session: DebugSession, stopCount: number, context: ToolContext): Promise<ToolOutput> {
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
  if (stopped !== undefined) return { text: await describeStop(stopped) }
  if (family().every((each) => each.info().state === 'ended')) return { text: endText(rootId, context) }
  return { text: `Still running after ${waitMs / 1000} s. Wait with debug_wait, or stop it with debug_pause.` }
}

function agentRoot(session: DebugSession, { debug: { sessions } }: ToolContext): string {
  let { id, parentId } = session.info()
  while (parentId !== undefined) ({ id, parentId } = sessions.session(parentId).info())
  return id
}

function endText(rootId: string, { debug: { sessions } }: ToolContext): string {
  const exitCode = sessions
    .family(rootId)
    .find((each) => each.info().exitCode !== undefined)
    ?.info().exitCode
  const head = exitCode === undefined ? 'The program has ended.' : `The program has ended with exit code ${exitCode}.`
  return [head, describeOutput(sessions.output(rootId).text)].filter((part) => part !== '').join('\n\n')
}

async function describeStop(session: DebugSession): Promise<string> {
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

async function ownLines(lines: readonly OwnLine[], { workspace }: ToolContext) {
  return Promise.all(
    lines.map(async ({ path, line, condition }, index) => ({
      id: `agent-${index}`,
      path: (await workspace.resolve(path)).relative,
      line,
      enabled: true,
      ...(condition !== undefined && { condition }),
    })),
  )
}

/** Selects a frame by its index in the stack. @throws ToolError out_of_range */
async function frameAt(session: DebugSession, index: number): Promise<number> {
  const { frames, total } = await session.stack(session.info().stop?.threadId ?? 0, index, 1)
  const [frame] = frames
  if (frame === undefined)
    throw new ToolError('out_of_range', `The stack has ${total} frames, counted from 0.`, 'Look with debug_stack.')
  return frame.id
}

const conditionsOf = (lines: readonly OwnLine[]): string[] => lines.flatMap(({ condition }) => condition ?? [])
const breakpoints = z.array(ownLine).max(50)

const debugStart = defineTool({
  name: 'debug_start',
  title: 'Start debugging',
  description: 'Starts a program or test in a debugger and waits for its first stop. Further calls step and look.',
  risk: 'execute',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({ ...targetParameters, breakpoints: breakpoints.default([]).describe('Lines to stop at.') }),
  examples: [{ program: 'main.py', breakpoints: [{ path: 'main.py', line: 2 }] }],
  commandLine: async (args, context) =>
    debugCommandLine(await resolveTarget(args, context), conditionsOf(args.breakpoints)),
  preview: ({ breakpoints: lines }) => Promise.resolve(previewBreakpoints(lines)),
  async run(args, context) {
    const { sessions } = context.debug
    // A session that the user has taken over is kept.
    for (const each of sessions.startedBy(context.conversationId)) if (each.info().owner === 'agent') await each.stop()
    const lines = await ownLines(args.breakpoints, context)
    const options = await resolveTarget(args, context)
    const session = await sessions.start(
      { ...options, own: { lines, exceptions: true }, conversationId: context.conversationId },
      context.signal,
    )
    return nextStop(session, 0, context)
  },
})

const debugContinue = defineTool({
  name: 'debug_continue',
  title: 'Continue debugging',
  description: 'Continues the stopped program until the next breakpoint, or steps, and waits for the stop.',
  // The program was approved when it was started.
  risk: 'read',
  effect: 'process',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({
    until: z
      .enum(['breakpoint', 'next', 'step', 'into', 'out', 'line'])
      .default('breakpoint')
      .describe('`next` (or `step`): the next line. `into` a call, `out` of the function. `line`: see `line`.'),
    line: z.number().int().min(1).optional().describe('Line of the current file for `line`.'),
  }),
  examples: [{ until: 'next' }],
  async run({ until, line }, context) {
    const session = agentSession(context)
    await checkOwner(session)
    const { stopCount, stop } = session.info()
    if (stopCount >= maxStops)
      throw new ToolError(
        'out_of_range',
        `The program has stopped ${maxStops} times.`,
        'Use debug_run with a condition.',
      )
    if (until === 'line') {
      if (line === undefined) throw new ToolError('invalid_arguments', '`line` is missing.', 'Pass the line to run to.')
      const [top] = (await session.stack(stop?.threadId ?? 0, 0, 1)).frames
      if (top?.path === undefined)
        throw new ToolError('invalid_arguments', 'The current frame has no file.', 'Step out of it.')
      const before = session.ownLines()
      await session.setOwnLines([...before, { id: 'run-to-line', path: top.path, line, enabled: true }])
      await session.control('continue')
      const outcome = await nextStop(session, stopCount, context)
      if (session.info().state !== 'ended') await session.setOwnLines(before)
      return outcome
    }

    await session.control(
      ({ breakpoint: 'continue', next: 'next', step: 'next', into: 'stepIn', out: 'stepOut' } as const)[until],
    )
    return nextStop(session, stopCount, context)
  },
})

const debugPause = defineTool({
  name: 'debug_pause',
  title: 'Pause the program',
  description: 'Pauses the running program and shows where it is.',
  risk: 'read',
  effect: 'process',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    await checkOwner(session)
    const { stopCount, state } = session.info()
    if (state === 'stopped') return { text: await describeStop(session) }
    await session.control('pause')
    return nextStop(session, stopCount, context)
  },
})

const debugWait = defineTool({
  name: 'debug_wait',
  title: 'Wait for a stop',
  description: 'Waits until the running program stops or ends.',
  risk: 'read',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    const { state, stopCount } = session.info()
    return state === 'stopped' ? { text: await describeStop(session) } : nextStop(session, stopCount, context)
  },
})

const debugStack = defineTool({
  name: 'debug_stack',
  title: 'Show the stack',
  description: 'Lists the frames of the stopped program, innermost first.',
  risk: 'read',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    const { frames, total } = await session.stack(session.info().stop?.threadId ?? 0, 0, 20)
    return {
      text: describeStack(frames, total)
        .map((line, index) => `${index}. ${line}`)
        .join('\n'),
    }
  },
})

const debugVariables = defineTool({
  name: 'debug_variables',
  title: 'Show variables',
  description: 'Shows the variables of a frame, or the members of one of them.',
  risk: 'read',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({
    frame: z.number().int().min(0).default(0).describe('Index in debug_stack.'),
    path: z
      .array(z.string())
      .max(20)
      .default([])
      .describe('Names from a variable down to the member, e.g. ["user", "name"].'),
    depth: z.number().int().min(1).max(maxDepth).default(1).describe('Levels of members to show.'),
  }),
  examples: [{ path: ['user'], depth: 2 }],
  async run({ frame, path, depth }, context) {
    const session = agentSession(context)
    const scopes = await session.scopes(await frameAt(session, frame))
    let references = scopes.filter(({ expensive }) => !expensive).map(({ reference }) => reference)
    for (const name of path) {
      const children = (await Promise.all(references.map((reference) => childrenOf(session, reference, 500)))).flat()
      // Debuggers quote the keys of maps.
      const found = children.find((child) => child.name === name || child.name.replaceAll(/^['"]|['"]$/g, '') === name)
      if (found === undefined)
        throw new ToolError(
          'not_found',
          `There is no "${name}".`,
          `There are: ${children
            .slice(0, 30)
            .map((child) => child.name)
            .join(', ')}.`,
        )
      if (found.reference === 0) return { text: describeVariable(found) }
      references = [found.reference]
    }
    const lines: string[] = []
    for (const reference of references) await describeTree(session, reference, depth, '', lines)
    return { text: lines.length === 0 ? 'There are no variables.' : limitLines(lines) }
  },
})

const childrenOf = (session: DebugSession, reference: number, count: number) =>
  session.variables({ reference, start: 0, count })

async function describeTree(
  session: DebugSession,
  reference: number,
  depth: number,
  indent: string,
  lines: string[],
): Promise<void> {
  const children = (await childrenOf(session, reference, maxChildren + 1)).filter(
    ({ name }) => !name.endsWith(' variables'),
  )
  for (const child of children.slice(0, maxChildren)) {
    if (lines.length >= 150) return
    lines.push(indent + describeVariable(child))
    if (depth > 1 && child.reference !== 0)
      await describeTree(session, child.reference, depth - 1, `${indent}  `, lines)
  }
  if (children.length > maxChildren) lines.push(`${indent}and more`)
}

const debugEvaluate = defineTool({
  name: 'debug_evaluate',
  title: 'Evaluate an expression',
  description: 'Evaluates an expression in a frame of the stopped program. It can change the program.',
  risk: 'execute',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({
    expression: z.string().min(1).max(10_000).describe('Expression in the language of the program.'),
    frame: z.number().int().min(0).default(0).describe('Index in debug_stack.'),
  }),
  examples: [{ expression: 'len(items)' }],
  commandLine: async ({ expression }) => evaluationLine(expression),
  async run({ expression, frame }, context) {
    const session = agentSession(context)
    await checkOwner(session)
    const frameId = await frameAt(session, frame)
    const { value, type } = await session.evaluate({ expression, frameId, context: 'watch' }, context.signal)
    return { text: describeVariable({ name: expression, value, ...(type !== undefined && { type }) }) }
  },
})

const debugSetBreakpoints = defineTool({
  name: 'debug_set_breakpoints',
  title: 'Set breakpoints',
  description: 'Replaces the breakpoints of your debug session, and reports where they were bound.',
  risk: 'execute',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({ breakpoints: breakpoints.describe('All lines to stop at.') }),
  examples: [{ breakpoints: [{ path: 'main.py', line: 4 }] }],
  commandLine: async (args) => evaluationLine(...conditionsOf(args.breakpoints)),
  preview: ({ breakpoints: lines }) => Promise.resolve(previewBreakpoints(lines)),
  async run(args, context) {
    const lines = await ownLines(args.breakpoints, context)
    const session = agentSession(context)
    await checkOwner(session)
    await session.setOwnLines(lines)
    const problems = describeBound(lines, new Map(Object.entries(session.info().breakpoints)))
    return { text: problems.length === 0 ? 'All breakpoints were bound.' : problems.join('\n') }
  },
})

const debugStop = defineTool({
  name: 'debug_stop',
  title: 'Stop debugging',
  description: 'Ends the program that you debug.',
  risk: 'read',
  effect: 'process',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    await checkOwner(session)
    const rootId = agentRoot(session, context)
    await context.debug.sessions.session(rootId).stop()
    return { text: endText(rootId, context) }
  },
})

/** Tools for a session that lasts several calls. */
export const debugSessionTools: readonly Tool[] = [
  debugStart,
  debugContinue,
  debugPause,
  debugWait,
  debugStack,
  debugVariables,
  debugEvaluate,
  debugSetBreakpoints,
  debugStop,
]
