import { z } from 'zod'
import { ToolError } from '../../../../shared/errors.ts'
import { defineTool, type Tool, type ToolContext } from '../../common/toolDefinition.ts'
import { agentRoot, agentSession, checkOwner, describeStop, endText, nextStop, stopsLeft } from './agentSession.ts'
import { debugEvaluate, debugStack, debugVariables } from './debugLookTools.ts'
import { debugCommandLine, evaluationLine, previewBreakpoints, resolveTarget, targetParameters } from './debugTarget.ts'
import { describeBound } from './describeDebug.ts'

// Tools for models that can hold a session. These run the program; debugLookTools.ts shows it.

const ownLine = z.object({
  path: z.string().min(1),
  line: z.number().int().min(1),
  condition: z.string().min(1).optional(),
})
type OwnLine = z.output<typeof ownLine>

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

const conditionsOf = (lines: readonly OwnLine[]): string[] => lines.flatMap(({ condition }) => condition ?? [])
const breakpoints = z.array(ownLine).max(50)

const debugStart = defineTool({
  name: 'debug_start',
  title: 'Start debugging',
  description: 'Starts a program or test in a debugger and waits for its first stop. Further calls step and look.',
  risk: 'execute',
  smallestProfile: 'full',
  forClients: true,
  schema: () => z.object({ ...targetParameters, breakpoints: breakpoints.default([]).describe('Lines to stop at.') }),
  examples: [{ program: 'main.py', breakpoints: [{ path: 'main.py', line: 2 }] }],
  commandLine: async (args, context) =>
    debugCommandLine(await resolveTarget(args, context), conditionsOf(args.breakpoints)),
  preview: ({ breakpoints: lines }) => Promise.resolve(previewBreakpoints(lines)),
  async run(args, context) {
    const { sessions } = context.debug
    stopsLeft('', context)
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
  schema: () =>
    z.object({
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
    stopsLeft(agentRoot(session, context), context)
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
  schema: () => z.object({}),
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
  schema: () => z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    const { state, stopCount } = session.info()
    return state === 'stopped' ? { text: await describeStop(session) } : nextStop(session, stopCount, context)
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
  schema: () => z.object({ breakpoints: breakpoints.describe('All lines to stop at.') }),
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
  schema: () => z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    await checkOwner(session)
    const rootId = agentRoot(session, context)
    await context.debug.sessions.session(rootId).stop()
    return { text: endText(rootId, context, true) }
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
