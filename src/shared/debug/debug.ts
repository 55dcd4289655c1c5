// The vocabulary of debugging. Lines and columns are 1-based. A `path` of a file in the workspace is relative to it.

/** A line breakpoint, as the user set it. */
export interface LineBreakpoint {
  id: string
  path: string
  line: number
  enabled: boolean
  /** Expression in the debugged language. Stops only if it is true. */
  condition?: string
  /** Number of hits, in the syntax of the debugger, e.g. `> 5`. */
  hitCondition?: string
  /** Text that is logged instead of stopping. Expressions are in braces. */
  logMessage?: string
}

/** A breakpoint at the start of a function. */
export interface FunctionBreakpoint {
  id: string
  name: string
  enabled: boolean
  condition?: string
  hitCondition?: string
}

/** A breakpoint that stops when a variable is written. Removed when its session ends. */
export interface DataBreakpoint {
  id: string
  /** Identifies the data for the debugger. */
  dataId: string
  label: string
  enabled: boolean
}

/** A kind of exception that a debugger can stop at. */
export interface ExceptionFilter {
  filter: string
  label: string
  description?: string
  /** Whether the debugger recommends enabling it. */
  default: boolean
}

/** All breakpoints of the folder. */
export interface Breakpoints {
  lines: readonly LineBreakpoint[]
  functions: readonly FunctionBreakpoint[]
  /** Enabled exception filters by debugger id. Absent: the debugger's defaults. */
  exceptions: Readonly<Record<string, readonly string[]>>
}

/** Status of a breakpoint in a running session. */
export interface BreakpointStatus {
  verified: boolean
  /** Line at which the debugger bound it, if it differs. */
  line?: number
  /** Why it is not verified. */
  message?: string
}

export type DebugSessionState = 'starting' | 'running' | 'stopped' | 'ended'

/** Why and where a session has stopped. */
export interface DebugStop {
  /** Reason as in the protocol, e.g. `breakpoint`, `exception`, `step`, `pause`, `entry`. */
  reason: string
  /** Description of the reason from the debugger. */
  text?: string
  threadId: number
}

export interface DebugThread {
  id: number
  name: string
  stopped: boolean
}

/** Capabilities of a debugger: the protocol's names without `supports`. */
export interface DebugFeatures {
  conditions: boolean
  hitConditions: boolean
  logMessages: boolean
  functionBreakpoints: boolean
  dataBreakpoints: boolean
  setVariable: boolean
  completions: boolean
  restart: boolean
  stepBack: boolean
  exceptionInfo: boolean
  terminateThreads: boolean
}

/** Who controls the session. The other one waits until the session is handed over. */
export type DebugOwner = 'user' | 'agent'

export interface DebugSessionInfo {
  id: string
  /** The session whose debugger requested this one, e.g. for a child process. */
  parentId?: string
  name: string
  /** Id of the debugger. */
  debugger: string
  state: DebugSessionState
  /** Current activity while starting, e.g. "Building…". */
  activity?: string
  stop?: DebugStop
  threads: readonly DebugThread[]
  features: DebugFeatures
  exceptionFilters: readonly ExceptionFilter[]
  owner: DebugOwner
  startedBy: DebugOwner
  /** Statuses of breakpoints in this session, by breakpoint id. */
  breakpoints: Readonly<Record<string, BreakpointStatus>>
  /** Increases with each stop, so that values of an earlier stop can be recognized. */
  stopCount: number
  /** Exit code of the debugged program. */
  exitCode?: number
  /** Why the session ended, if it failed. */
  failure?: string
}

export interface DebugFrame {
  id: number
  name: string
  /** File in the workspace. */
  path?: string
  /** Name of a source outside the workspace. */
  source?: string
  /** Number for `debug.source` if the debugger has the text. */
  sourceReference?: number
  line: number
  column: number
  /** Whether the debugger marks the frame as unimportant, e.g. library code. */
  subtle: boolean
}

export interface DebugScope {
  name: string
  reference: number
  /** Whether reading it is slow, so that it is only read when expanded. */
  expensive: boolean
  named?: number
  indexed?: number
}

export interface DebugVariable {
  name: string
  value: string
  type?: string
  /** Reference of its children; 0 if it has none. */
  reference: number
  named?: number
  indexed?: number
  /** Expression that evaluates to the variable. */
  evaluateName?: string
  readOnly: boolean
}

/** Result of an expression. */
export interface DebugValue {
  value: string
  type?: string
  reference: number
  named?: number
  indexed?: number
}

/** An entry of the debug console. */
export interface DebugOutput {
  sessionId: string
  category: 'console' | 'important' | 'stdout' | 'stderr'
  text: string
  /** Reference of a structured value, expandable in the console. */
  reference?: number
  path?: string
  line?: number
  /** Characters of the session's output before it and up to its end. Undefined: it is no part of the output. */
  range?: { from: number; to: number }
}

export interface DebugExceptionInfo {
  id: string
  description?: string
  /** Stack trace and type, as the debugger formats them. */
  details?: string
}

/** The state that the window shows. */
export interface DebugState {
  sessions: readonly DebugSessionInfo[]
  breakpoints: Breakpoints
}

export const emptyDebugState: DebugState = { sessions: [], breakpoints: { lines: [], functions: [], exceptions: {} } }

/** A supported debugger, and whether it is installed. */
export interface DebuggerStatus {
  id: string
  title: string
  languages: readonly string[]
  /** Absent if it was found. */
  missing?: {
    reason: string
    installCommand?: string
    /** What to do if no command installs it. */
    fix?: string
  }
  version?: string
}

/** A debug target that the user can start: from launch.json, or derived from a file. */
export interface DebugChoice {
  name: string
  /** Origin: `launch.json`, a compound of it, or a file. */
  kind: 'configuration' | 'compound' | 'file'
  /** Why it cannot start, e.g. an unknown type. */
  problem?: string
}

/** An `${input:…}` variable of a configuration. The user enters its value before the start. */
export interface DebugInput {
  id: string
  kind: 'text' | 'pick'
  description: string
  default?: string
  options?: string[]
  password?: boolean
}
