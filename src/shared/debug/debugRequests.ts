import { z } from 'zod'
import { noParams, path, request } from '../requestType.ts'
import type {
  DebugChoice,
  DebuggerStatus,
  DebugExceptionInfo,
  DebugFrame,
  DebugInput,
  DebugScope,
  DebugState,
  DebugValue,
  DebugVariable,
} from './debug.ts'

const id = z.string().min(1).max(100)
const expression = z.string().max(20_000)
const line = z.number().int().min(1)
const optionalText = z.string().max(2000).exactOptional()
const number = z.number().int()

const lineBreakpoint = z.object({
  id,
  path,
  line,
  enabled: z.boolean(),
  condition: optionalText,
  hitCondition: optionalText,
  logMessage: optionalText,
})
const functionBreakpoint = z.object({
  id,
  name: z.string().min(1).max(500),
  enabled: z.boolean(),
  condition: optionalText,
  hitCondition: optionalText,
})

/** What to debug. */
export const debugTarget = z.discriminatedUnion('kind', [
  /** A configuration or compound of launch.json. `inputs`: answers to its `${input:…}` variables. */
  z.object({
    kind: z.literal('configuration'),
    name: z.string().max(500),
    inputs: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ kind: z.literal('file'), path, args: z.array(z.string().max(10_000)).max(200).optional() }),
  z.object({ kind: z.literal('test'), path, name: z.string().max(1000) }),
  /** A running process on this machine. It is outside the sandbox, so only a person can request it. */
  z.object({
    kind: z.literal('attach'),
    debugger: id,
    processId: number.optional(),
    port: number.min(1).max(65_535).optional(),
  }),
])
export type DebugTarget = z.infer<typeof debugTarget>

export const debugActions = ['continue', 'pause', 'next', 'stepIn', 'stepOut', 'stepBack', 'restart', 'stop'] as const
export type DebugAction = (typeof debugActions)[number]

const paging = { start: number.min(0).default(0), count: number.min(1).max(1000).default(100) }

export const debugRequests = {
  'debug.state': request<DebugState>()(() => noParams),
  /** Returns the supported debuggers, and how to install the missing ones. */
  'debug.debuggers': request<DebuggerStatus[]>()(() => noParams),
  /** Returns the configurations and compounds of launch.json. */
  'debug.choices': request<{ choices: DebugChoice[]; problem?: string }>()(() => noParams),
  /** Returns the JSON schema of launch.json. */
  'debug.launchSchema': request<object>()(() => noParams),
  /** Returns the inputs that the user must enter for a configuration. */
  'debug.inputs': request<DebugInput[]>()(() => z.object({ name: z.string().max(500) })),
  /** Starts sessions, and resolves once the debugged program runs. @throws the debugger's output if that fails */
  'debug.start': request<{ sessionIds: string[] }>()(() => z.object({ target: debugTarget })),
  'debug.control': request<void>()(() =>
    z.object({ sessionId: id, action: z.enum(debugActions), threadId: number.optional() }),
  ),
  /** Removes an ended session from the list. */
  'debug.forget': request<void>()(() => z.object({ sessionId: id })),
  /** Hands the agent's session over to the user, or back to the agent. */
  'debug.setOwner': request<void>()(() => z.object({ sessionId: id, owner: z.enum(['user', 'agent']) })),
  /** Replaces the line breakpoints of a file. */
  'debug.setLineBreakpoints': request<void>()(() => z.object({ path, breakpoints: z.array(lineBreakpoint).max(1000) })),
  'debug.setFunctionBreakpoints': request<void>()(() =>
    z.object({ breakpoints: z.array(functionBreakpoint).max(200) }),
  ),
  'debug.setExceptionFilters': request<void>()(() =>
    z.object({ debugger: id, filters: z.array(z.string().max(200)).max(50) }),
  ),
  /** Adds a data breakpoint. The session's debugger must support it. */
  'debug.addDataBreakpoint': request<{ label: string }>()(() =>
    z.object({ sessionId: id, reference: number, name: z.string().max(2000) }),
  ),
  'debug.removeDataBreakpoints': request<void>()(() => z.object({ sessionId: id })),
  'debug.stack': request<{ frames: DebugFrame[]; total: number }>()(() =>
    z.object({ sessionId: id, threadId: number, ...paging }),
  ),
  'debug.scopes': request<DebugScope[]>()(() => z.object({ sessionId: id, frameId: number })),
  /** `indexed`: only elements, `named`: only members. Default: all. */
  'debug.variables': request<DebugVariable[]>()(() =>
    z.object({ sessionId: id, reference: number, filter: z.enum(['indexed', 'named']).optional(), ...paging }),
  ),
  'debug.setVariable': request<DebugValue>()(() =>
    z.object({ sessionId: id, reference: number, name: z.string().max(2000), value: expression }),
  ),
  'debug.evaluate': request<DebugValue>()(() =>
    z.object({
      sessionId: id,
      frameId: number.optional(),
      expression,
      context: z.enum(['watch', 'repl', 'hover', 'clipboard']),
    }),
  ),
  'debug.completions': request<{ label: string; text: string; start?: number; length?: number }[]>()(() =>
    z.object({ sessionId: id, frameId: number.optional(), text: expression, column: number.min(1) }),
  ),
  'debug.exceptionInfo': request<DebugExceptionInfo | null>()(() => z.object({ sessionId: id, threadId: number })),
  /** Returns the text of a source that is not a file of the workspace. */
  'debug.source': request<{ text: string }>()(() => z.object({ sessionId: id, sourceReference: number })),
  /**
   * Returns the session's output after its first `from` characters, for a window that attaches later or again. `to`: its
   * length. `truncated`: a part of it is no longer kept.
   */
  'debug.output': request<{ text: string; truncated: boolean; to: number }>()(() =>
    z.object({ sessionId: id, from: z.number().int().min(0).default(0) }),
  ),
} as const
