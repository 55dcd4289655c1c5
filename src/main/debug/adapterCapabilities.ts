import type { DebugProtocol } from '@vscode/debugprotocol'
import type { DebugFeatures, ExceptionFilter } from '../../shared/debug/debug.ts'

/** Returns what the window offers in a session of this adapter. */
export function featuresOf(capabilities: DebugProtocol.Capabilities): DebugFeatures {
  return {
    conditions: capabilities.supportsConditionalBreakpoints === true,
    hitConditions: capabilities.supportsHitConditionalBreakpoints === true,
    logMessages: capabilities.supportsLogPoints === true,
    functionBreakpoints: capabilities.supportsFunctionBreakpoints === true,
    dataBreakpoints: capabilities.supportsDataBreakpoints === true,
    setVariable: capabilities.supportsSetVariable === true,
    completions: capabilities.supportsCompletionsRequest === true,
    restart: capabilities.supportsRestartRequest === true,
    stepBack: capabilities.supportsStepBack === true,
    exceptionInfo: capabilities.supportsExceptionInfoRequest === true,
    terminateThreads: capabilities.supportsTerminateThreadsRequest === true,
  }
}

export const exceptionFiltersOf = (capabilities: DebugProtocol.Capabilities): ExceptionFilter[] =>
  (capabilities.exceptionBreakpointFilters ?? []).map(({ filter, label, description, default: isDefault }) => ({
    filter,
    label,
    ...(description !== undefined && { description }),
    default: isDefault === true,
  }))
