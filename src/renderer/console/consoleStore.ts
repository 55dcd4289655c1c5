import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { RequestParams } from '../../shared/protocol.ts'
import type { ToolResult } from '../../shared/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useConsoleCallIds } from '../platform/conversation/consoleCalls.ts'

/** A call started in the tool console. */
export interface ConsoleCall {
  callId: string
  tool: string
  arguments: Record<string, unknown>
  startedAt: number
  state: 'running' | 'ended'
  result?: ToolResult
  /** Why main rejected the request. */
  problem?: string
}

interface ConsoleState {
  /** By call id. */
  calls: Readonly<Record<string, ConsoleCall>>
  /** The last call. */
  latestCallId: string | null
}

export const useConsoleCalls = create<ConsoleState>()(() => ({ calls: {}, latestCallId: null }))

function updateCall(callId: string, part: Partial<ConsoleCall>): void {
  useConsoleCalls.setState(({ calls }) => {
    const call = calls[callId]
    return call ? { calls: { ...calls, [callId]: { ...call, ...part } } } : {}
  })
}

/** Runs a tool with the same executor and approvals as a model's call. Resolves when the call has ended. */
export async function runTool(call: Omit<RequestParams<'tools.call'>, 'callId'>): Promise<void> {
  const callId = `console-${crypto.randomUUID()}`
  const entry: ConsoleCall = {
    callId,
    tool: call.name,
    arguments: call.arguments,
    startedAt: Date.now(),
    state: 'running',
  }
  // Only the latest call is kept.
  useConsoleCalls.setState({ calls: { [callId]: entry }, latestCallId: callId })
  useConsoleCallIds.setState({ ids: new Set([callId]) })
  try {
    updateCall(callId, { state: 'ended', result: await request('tools.call', { callId, ...call }) })
  } catch (error) {
    const { message, next } = toFailure(error)
    updateCall(callId, { state: 'ended', problem: [message, next].filter(Boolean).join(' ') })
  }
}
