import { absoluteIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import path from 'node:path'
import type { DebugProtocol } from '@vscode/debugprotocol'
import type { BreakpointStatus, Breakpoints, DataBreakpoint, LineBreakpoint } from '../../shared/debug/debug.ts'
import { SequencerByKey } from '../../shared/async/sequencer.ts'
import { ToolError } from '../../shared/errors.ts'
import { exceptionFiltersOf } from './adapterCapabilities.ts'
import type { AdapterConnection } from './adapterConnection.ts'

/** Breakpoints of a session of the agent. */
export interface OwnBreakpoints {
  lines: readonly LineBreakpoint[]
  /** Whether the program stops at exceptions that nothing handles. */
  exceptions: boolean
}

/** Names of the filters for exceptions that nothing handles, in all debuggers. */
const unhandledFilter = /uncaught|unhandled|unrecovered|panic/i

/** Sends breakpoints to the adapter. Methods throw ToolError with the debugger's message. */
export interface BreakpointRequests {
  /** Sends changed breakpoints of a file. */
  sendLineBreakpoints(file: string): Promise<void>
  sendFunctionBreakpoints(): Promise<void>
  sendExceptionFilters(): Promise<void>
  /** The session's own breakpoints. Empty if it has those of the folder. */
  ownLines(): readonly LineBreakpoint[]
  /** Replaces the session's own breakpoints. */
  setOwnLines(lines: readonly LineBreakpoint[]): Promise<void>
  addDataBreakpoint(reference: number, name: string): Promise<{ label: string }>
  removeDataBreakpoints(): Promise<void>
}

/** Breakpoints of one session. */
export interface SessionBreakpoints extends BreakpointRequests {
  sendAll(): Promise<void>
  /** What the adapter made of the breakpoints, by their id. */
  statuses(): Record<string, BreakpointStatus>
  /** Stores a change that the adapter reports. */
  statusChanged(breakpoint: DebugProtocol.Breakpoint | undefined): void
  forgetStatuses(): void
}

interface SessionBreakpointsDeps {
  connection: AdapterConnection
  workspace: WorkspaceRoots
  debuggerId: string
  breakpoints(): Breakpoints
  own: OwnBreakpoints | undefined
  capabilities(): DebugProtocol.Capabilities
  isEnded(): boolean
  /** Called after each change of a status. */
  onChanged(): void
}

/** Stores what the adapter made of the breakpoints that were sent, which are in the same order. */
type RecordStatuses = (
  sent: readonly { id: string }[],
  received: readonly DebugProtocol.Breakpoint[] | undefined,
) => void

export function createSessionBreakpoints(deps: SessionBreakpointsDeps): SessionBreakpoints {
  const { connection, workspace, own, capabilities, isEnded, onChanged } = deps
  const statuses = new Map<string, BreakpointStatus>()
  /** Breakpoints by the number that the adapter gave them. */
  const byAdapterId = new Map<number, string>()
  const sending = new SequencerByKey<string>()

  const lineBreakpoints = (): readonly LineBreakpoint[] => own?.lines ?? deps.breakpoints().lines

  const record: RecordStatuses = (sent, received) => {
    for (const [index, breakpoint] of (received ?? []).entries()) {
      const own = sent[index]
      if (own === undefined) continue
      statuses.set(own.id, statusOf(breakpoint))
      if (breakpoint.id !== undefined) byAdapterId.set(breakpoint.id, own.id)
    }
    onChanged()
  }

  const requests: SessionBreakpoints = {
    sendLineBreakpoints: (file) =>
      sending.queue(file, async () => {
        if (isEnded()) return
        const sent = lineBreakpoints().filter((each) => each.path === file && each.enabled)
        const { breakpoints } = await connection.request('setBreakpoints', {
          source: { name: path.basename(file), path: absoluteIn(workspace, file) },
          breakpoints: sent.map((each) => ({
            line: each.line,
            ...(each.condition !== undefined && { condition: each.condition }),
            ...(each.hitCondition !== undefined && { hitCondition: each.hitCondition }),
            ...(each.logMessage !== undefined && { logMessage: each.logMessage }),
          })),
          lines: sent.map((each) => each.line),
          sourceModified: false,
        })
        record(sent, breakpoints)
      }),
    async sendFunctionBreakpoints() {
      if (capabilities().supportsFunctionBreakpoints !== true || isEnded()) return
      const sent = own === undefined ? deps.breakpoints().functions.filter((each) => each.enabled) : []
      const { breakpoints } = await connection.request('setFunctionBreakpoints', {
        breakpoints: sent.map(({ name, condition, hitCondition }) => ({
          name,
          ...(condition !== undefined && { condition }),
          ...(hitCondition !== undefined && { hitCondition }),
        })),
      })
      record(sent, breakpoints)
    },
    async sendExceptionFilters() {
      const available = exceptionFiltersOf(capabilities())
      if (available.length === 0 || isEnded()) return
      const chosen = deps.breakpoints().exceptions[deps.debuggerId]
      // Several filters can stop at the same exception.
      const unhandled = available.find((each) => unhandledFilter.test(each.filter))
      const enabled =
        own === undefined
          ? available.filter((each) => chosen?.includes(each.filter) ?? each.default)
          : own.exceptions && unhandled
            ? [unhandled]
            : []
      const filters = enabled.map((each) => each.filter)
      await connection.request('setExceptionBreakpoints', { filters })
    },
    ownLines: () => own?.lines ?? [],
    async setOwnLines(lines) {
      if (own === undefined) return
      const files = new Set([...own.lines, ...lines].map((breakpoint) => breakpoint.path))
      own.lines = lines
      await Promise.all([...files].map((file) => requests.sendLineBreakpoints(file)))
    },
    ...createDataBreakpoints(connection, record),
    async sendAll() {
      const files = new Set(lineBreakpoints().map((breakpoint) => breakpoint.path))
      await Promise.all([...files].map((file) => requests.sendLineBreakpoints(file)))
      await requests.sendFunctionBreakpoints()
      await requests.sendExceptionFilters()
    },
    statuses: () => Object.fromEntries(statuses),
    statusChanged(breakpoint) {
      const known = breakpoint?.id === undefined ? undefined : byAdapterId.get(breakpoint.id)
      if (known === undefined || breakpoint === undefined) return
      statuses.set(known, statusOf(breakpoint))
      onChanged()
    },
    forgetStatuses: () => statuses.clear(),
  }
  return requests
}

function createDataBreakpoints(
  connection: AdapterConnection,
  record: RecordStatuses,
): Pick<BreakpointRequests, 'addDataBreakpoint' | 'removeDataBreakpoints'> {
  let dataBreakpoints: readonly DataBreakpoint[] = []

  async function sendDataBreakpoints(): Promise<void> {
    const sent = dataBreakpoints.filter((each) => each.enabled)
    const { breakpoints } = await connection.request('setDataBreakpoints', {
      breakpoints: sent.map(({ dataId }) => ({ dataId, accessType: 'write' })),
    })
    record(sent, breakpoints)
  }

  return {
    async addDataBreakpoint(reference, name) {
      const found = await connection.request('dataBreakpointInfo', { variablesReference: reference, name })
      if (found.dataId === null)
        throw new ToolError('invalid_arguments', `A data breakpoint cannot be set on ${name}: ${found.description}.`)
      const added = { id: `data:${found.dataId}`, dataId: found.dataId, label: found.description, enabled: true }
      dataBreakpoints = [...dataBreakpoints.filter((each) => each.id !== added.id), added]
      await sendDataBreakpoints()
      return { label: added.label }
    },
    async removeDataBreakpoints() {
      dataBreakpoints = []
      await sendDataBreakpoints()
    },
  }
}

function statusOf(breakpoint: DebugProtocol.Breakpoint): BreakpointStatus {
  return {
    verified: breakpoint.verified,
    ...(breakpoint.line !== undefined && { line: breakpoint.line }),
    ...(breakpoint.message !== undefined && { message: breakpoint.message.slice(0, 1000) }),
  }
}
