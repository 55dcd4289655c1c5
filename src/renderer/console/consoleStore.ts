import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { RequestParams } from '../../shared/protocol.ts'
import type { ToolResult } from '../../shared/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useConsoleCallIds } from '../platform/conversation/consoleCalls.ts'

/** A call made by hand. */
export interface ConsoleCall {
  callId: string
  tool: string
  arguments: Record<string, unknown>
  startedAt: number
  state: 'running' | 'ended'
  result?: ToolResult
  /** The call did not even reach the executor. */
  problem?: string
}

interface ConsoleState {
  /** By call id; also tells the chat which approvals are the console's. */
  calls: Readonly<Record<string, ConsoleCall>>
  /** The last call. */
  shown: string | null
}

export const useConsoleCalls = create<ConsoleState>()(() => ({ calls: {}, shown: null }))

function change(callId: string, part: Partial<ConsoleCall>): void {
  useConsoleCalls.setState(({ calls }) => {
    const call = calls[callId]
    return call ? { calls: { ...calls, [callId]: { ...call, ...part } } } : {}
  })
}

/** Runs a tool through the executor and its gate, as a model's call would; waits for the end. */
export async function runTool(call: Omit<RequestParams<'tools.call'>, 'callId'>): Promise<void> {
  const callId = `console-${crypto.randomUUID()}`
  const entry: ConsoleCall = {
    callId,
    tool: call.name,
    arguments: call.arguments,
    startedAt: Date.now(),
    state: 'running',
  }
  // Only the last call is shown; the ones before it are not kept.
  useConsoleCalls.setState({ calls: { [callId]: entry }, shown: callId })
  useConsoleCallIds.setState({ ids: new Set([callId]) })
  try {
    change(callId, { state: 'ended', result: await request('tools.call', { callId, ...call }) })
  } catch (error) {
    const { message, next } = toFailure(error)
    change(callId, { state: 'ended', problem: [message, next].filter(Boolean).join(' ') })
  }
}
