import type { DebugFrame, DebugSessionInfo, DebugVariable } from '../../../shared/debug/debug.ts'

/** A session that has stopped at a breakpoint in its only thread. */
export function stoppedSession(changes: Partial<DebugSessionInfo> = {}): DebugSessionInfo {
  return {
    id: 'debug-1',
    name: 'main.py',
    debugger: 'python',
    state: 'stopped',
    stop: { reason: 'breakpoint', threadId: 1 },
    threads: [{ id: 1, name: 'MainThread', stopped: true }],
    features: {
      conditions: true,
      hitConditions: true,
      logMessages: true,
      functionBreakpoints: true,
      dataBreakpoints: true,
      setVariable: true,
      completions: true,
      restart: false,
      stepBack: false,
      exceptionInfo: true,
      terminateThreads: false,
    },
    exceptionFilters: [
      { filter: 'raised', label: 'Raised exceptions', default: false },
      { filter: 'uncaught', label: 'Uncaught exceptions', default: true },
    ],
    owner: 'user',
    startedBy: 'user',
    breakpoints: {},
    stopCount: 1,
    ...changes,
  }
}

export function frame(id: number, changes: Partial<DebugFrame> = {}): DebugFrame {
  return { id, name: `function${id}`, path: 'src/main.py', line: id, column: 1, subtle: false, ...changes }
}

export function variable(name: string, value: string, changes: Partial<DebugVariable> = {}): DebugVariable {
  return { name, value, reference: 0, readOnly: false, evaluateName: name, ...changes }
}
