import { relativeIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { DebugProtocol } from '@vscode/debugprotocol'
import type { DebugExceptionInfo, DebugFrame, DebugScope, DebugValue, DebugVariable } from '../../shared/debug/debug.ts'
import { ToolError } from '../../shared/errors.ts'
import type { AdapterConnection, AdapterRequestName, AdapterRequests, RequestOptions } from './adapterConnection.ts'

export interface VariablesQuery {
  reference: number
  filter?: 'indexed' | 'named' | undefined
  start: number
  count: number
}

export interface EvaluateQuery {
  expression: string
  frameId?: number | undefined
  context: 'watch' | 'repl' | 'hover' | 'clipboard'
}

/** Reads and changes the data of a program that has stopped. Methods throw ToolError with the debugger's message. */
export interface Inspection {
  stack(threadId: number, start: number, count: number): Promise<{ frames: DebugFrame[]; total: number }>
  scopes(frameId: number): Promise<DebugScope[]>
  variables(query: VariablesQuery, signal?: AbortSignal): Promise<DebugVariable[]>
  setVariable(reference: number, name: string, value: string): Promise<DebugValue>
  evaluate(query: EvaluateQuery, signal?: AbortSignal): Promise<DebugValue>
  completions(frameId: number | undefined, text: string, column: number): Promise<DebugProtocol.CompletionItem[]>
  exceptionInfo(threadId: number): Promise<DebugExceptionInfo | null>
  source(sourceReference: number): Promise<string>
}

/** Maximum characters of a value, and of a piece of output. */
export const maxValue = 100_000
/** Maximum characters of a source that is not a file. */
const maxSource = 5_000_000
const maxScopes = 50
const maxCompletions = 500

interface InspectionDeps {
  connection: AdapterConnection
  /** The debugger's name, for error messages. */
  title: string
  workspace: WorkspaceRoots
  /** Milliseconds for the value of an expression. */
  evaluateTimeout: number
  capabilities(): DebugProtocol.Capabilities
  /** @throws ToolError `conflict` if the program runs */
  checkStopped(): void
}

/** @returns `forgetAssigned` to call when the program continues or stops */
export function createInspection(deps: InspectionDeps): { inspection: Inspection; forgetAssigned(): void } {
  const ask = createAsk(deps)
  /** Variables that were set since the stop. js-debug returns their earlier values until the next one. */
  const assigned = new Map<string, AssignedValue>()
  return {
    inspection: { ...stackRequests(deps, ask), ...valueRequests(deps, ask, assigned) },
    forgetAssigned: () => assigned.clear(),
  }
}

type Ask = ReturnType<typeof createAsk>

function createAsk({ connection, title }: InspectionDeps) {
  /** Sends a request, and reads its response, whose fields should be those of the protocol. */
  return async function ask<N extends AdapterRequestName, R>(
    command: N,
    args: AdapterRequests[N][0],
    read: (body: AdapterRequests[N][1]) => R,
    requestOptions?: RequestOptions,
  ): Promise<R> {
    const body = await connection.request(command, args, requestOptions)
    try {
      return read(body)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new ToolError('server_error', `${title} sent an invalid response to "${command}".`, '', { cause: error })
    }
  }
}

type StackRequest = 'stack' | 'scopes' | 'exceptionInfo' | 'source'

function stackRequests(
  { workspace, capabilities, checkStopped }: InspectionDeps,
  ask: Ask,
): Pick<Inspection, StackRequest> {
  return {
    async stack(threadId, start, count) {
      checkStopped()
      return ask('stackTrace', { threadId, startFrame: start, levels: count }, ({ stackFrames, totalFrames }) => ({
        frames: stackFrames.slice(0, count).map((frame) => frameOf(frame, workspace)),
        // Without a total, there may be more if the page is full.
        total: totalFrames ?? start + stackFrames.length + (stackFrames.length >= count ? 1 : 0),
      }))
    },
    async scopes(frameId) {
      checkStopped()
      return ask('scopes', { frameId }, ({ scopes }) =>
        scopes.slice(0, maxScopes).map((scope) => ({
          name: String(scope.name),
          reference: scope.variablesReference,
          expensive: scope.expensive,
          ...(scope.namedVariables !== undefined && { named: scope.namedVariables }),
          ...(scope.indexedVariables !== undefined && { indexed: scope.indexedVariables }),
        })),
      )
    },
    async exceptionInfo(threadId) {
      if (capabilities().supportsExceptionInfoRequest !== true) return null
      checkStopped()
      return ask('exceptionInfo', { threadId }, ({ exceptionId, description, details }) => {
        const trace = details?.stackTrace ?? details?.message
        return {
          id: String(exceptionId).slice(0, 1000),
          ...(description !== undefined && { description: description.slice(0, maxValue) }),
          ...(trace !== undefined && { details: trace.slice(0, maxValue) }),
        }
      })
    },
    source: (sourceReference) =>
      ask('source', { sourceReference, source: { sourceReference } }, ({ content }) => content.slice(0, maxSource)),
  }
}

interface AssignedValue {
  now: DebugValue
  stale?: string
}

function valueRequests(
  { capabilities, checkStopped, evaluateTimeout }: InspectionDeps,
  ask: Ask,
  assigned: Map<string, AssignedValue>,
): Omit<Inspection, StackRequest> {
  /** Replaces a value by the one that was assigned to it, if the adapter still returns an earlier one. */
  function withAssigned(reference: number, variable: DebugVariable): DebugVariable {
    const key = `${reference} ${variable.name}`
    const assignment = assigned.get(key)
    if (assignment === undefined) return variable
    assignment.stale ??= variable.value
    if (assignment.stale === variable.value) return { ...variable, ...assignment.now }
    assigned.delete(key)
    return variable
  }

  return {
    variables: ({ reference, filter, start, count }, signal) =>
      ask(
        'variables',
        { variablesReference: reference, start, count, ...(filter && { filter }) },
        ({ variables }) =>
          // Adapters without paging send all.
          (variables.length > count ? variables.slice(start, start + count) : variables).map((variable) =>
            withAssigned(reference, {
              name: String(variable.name).slice(0, 2000),
              value: String(variable.value).slice(0, maxValue),
              ...valueOf(variable),
              ...(variable.evaluateName !== undefined && { evaluateName: variable.evaluateName }),
              readOnly: variable.presentationHint?.attributes?.includes('readOnly') === true,
            }),
          ),
        { signal },
      ),
    async setVariable(reference, name, value) {
      checkStopped()
      const now = await ask(
        'setVariable',
        { variablesReference: reference, name, value },
        // lldb-dap up to version 19 names the value like that of an expression.
        (body: Partial<AdapterRequests['setVariable'][1]> & { result?: string }) => ({
          value: String(body.value ?? body.result ?? value).slice(0, maxValue),
          ...valueOf(body),
        }),
        { timeout: evaluateTimeout },
      )
      assigned.set(`${reference} ${name}`, { now })
      return now
    },
    evaluate: ({ expression, frameId, context }, signal) =>
      ask(
        'evaluate',
        { expression, context, ...(frameId !== undefined && { frameId }) },
        (body) => ({ value: String(body.result).slice(0, maxValue), ...valueOf(body) }),
        { signal, timeout: evaluateTimeout },
      ),
    async completions(frameId, text, column) {
      if (capabilities().supportsCompletionsRequest !== true) return []
      return ask('completions', { text, column, ...(frameId !== undefined && { frameId }) }, ({ targets }) =>
        targets.slice(0, maxCompletions),
      )
    },
  }
}

function frameOf(frame: DebugProtocol.StackFrame, workspace: WorkspaceRoots): DebugFrame {
  const { source } = frame
  const file = source?.path === undefined ? undefined : relativePath(workspace, source.path)
  return {
    id: frame.id,
    name: String(frame.name).slice(0, 1000),
    ...(file !== undefined && { path: file }),
    ...(file === undefined && source !== undefined && { source: (source.path ?? source.name ?? '').slice(0, 4096) }),
    ...(source?.sourceReference !== undefined &&
      source.sourceReference > 0 && { sourceReference: source.sourceReference }),
    line: frame.line,
    column: frame.column,
    subtle: frame.presentationHint === 'subtle' || source?.presentationHint === 'deemphasize',
  }
}

const valueOf = (body: {
  variablesReference?: number
  namedVariables?: number
  indexedVariables?: number
  type?: string
}): Omit<DebugValue, 'value'> => ({
  ...(body.type !== undefined && { type: body.type.slice(0, 1000) }),
  reference: body.variablesReference ?? 0,
  ...(body.namedVariables !== undefined && { named: body.namedVariables }),
  ...(body.indexedVariables !== undefined && { indexed: body.indexedVariables }),
})

/** Returns a path relative to the workspace; undefined outside it. */
export function relativePath(workspace: WorkspaceRoots, file: string): string | undefined {
  const relative = relativeIn(workspace, file)
  return relative === null || relative === '.' ? undefined : relative
}
