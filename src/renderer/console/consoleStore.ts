import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { RequestParams } from '../../shared/bridge/protocol.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useConsoleCallIds } from '../platform/conversation/consoleCalls.ts'

/** A tool call that the user started in the tool console. */
export interface ConsoleCall {
  callId: string
  tool: string
  arguments: Record<string, unknown>
  startedAt: number
  state: 'running' | 'ended'
  result?: ToolResult
  /** Message of a request that failed before the tool ran. */
  problem?: string
}

interface ConsoleState {
  calls: Readonly<Record<string, ConsoleCall>>
  /** Id of the latest call; null before the first. */
  latestCallId: string | null
}

export const useConsoleCalls = create<ConsoleState>()(() => ({ calls: {}, latestCallId: null }))

function updateCall(callId: string, update: Partial<ConsoleCall>): void {
  useConsoleCalls.setState(({ calls }) => {
    const call = calls[callId]
    return call ? { calls: { ...calls, [callId]: { ...call, ...update } } } : {}
  })
}

/** Runs a tool with the agent's executor and approvals. Resolves when the call has ended, even if it failed. */
export async function runTool(call: Omit<RequestParams<'tools.call'>, 'callId'>): Promise<void> {
  const callId = `console-${crypto.randomUUID()}`
  const entry: ConsoleCall = {
    callId,
    tool: call.name,
    arguments: call.arguments,
    startedAt: Date.now(),
    state: 'running',
  }
  // Replace the previous call. Only the latest is kept.
  useConsoleCalls.setState({ calls: { [callId]: entry }, latestCallId: callId })
  useConsoleCallIds.setState({ ids: new Set([callId]) })
  try {
    updateCall(callId, { state: 'ended', result: await request('tools.call', { callId, ...call }) })
  } catch (error) {
    const { message, next } = toFailure(error)
    updateCall(callId, { state: 'ended', problem: [message, next].filter(Boolean).join(' ') })
  }
}
