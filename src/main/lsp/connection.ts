import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import type * as lsp from 'vscode-languageserver-protocol'
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  ConfigurationParams,
  FileOperationRegistrationOptions,
  InitializeResult,
  LogMessageParams,
  PublishDiagnosticsParams,
  Registration,
  RegistrationParams,
  ServerCapabilities,
  UnregistrationParams,
  WorkspaceFolder,
} from 'vscode-languageserver-protocol'
import { folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ServerLog } from '../base/serverLog.ts'
import { clientCapabilities } from './clientCapabilities.ts'
import type { LaunchedServer } from './launchServer.ts'
import { hasSemanticTokens } from './serverFeatures.ts'
import { createMessageReader } from './serverMessageReader.ts'
import type { ServerDefinition } from './serverTable.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'

/** A connection to an initialized server. */
export interface Connection {
  readonly capabilities: ServerCapabilities
  /** Whether the server wants notifications about changed files in the workspace. */
  readonly watchesFiles: boolean
  /** Filters of the files whose renames the server wants to know about, before or after them. Empty if none. */
  renameFilters(when: 'willRename' | 'didRename'): FileOperationRegistrationOptions['filters']
  /** Whether the server supports the feature of this request. */
  supports(method: ServerRequestName): boolean
  /**
   * Sends a request. Aborting cancels it on the server.
   * @throws ToolError timeout, server_error; AbortError
   */
  request<M extends ServerRequestName>(
    method: M,
    params: ServerRequests[M][0],
    options: { signal?: AbortSignal | undefined; timeout?: number },
  ): Promise<ServerRequests[M][1]>
  notify(method: string, params: unknown): void
  /** Requests the server to exit, and ends its processes. */
  close(): Promise<void>
}

export interface ConnectionDeps {
  definition: ServerDefinition
  server: LaunchedServer
  workspace: WorkspaceRoots
  version: string
  log: ServerLog
  times: ConnectionTimes
  onDiagnostics(params: PublishDiagnosticsParams): void
  onRefreshDiagnostics(): void
  applyEdit(params: ApplyWorkspaceEditParams): ApplyWorkspaceEditResult
  /** Called if the server must be stopped, with the reason as the end of a sentence. */
  onAbuse(reason: string): void
}

export interface ConnectionTimes {
  /** Maximum milliseconds for starting. */
  initialize: number
  /** Maximum milliseconds for a request. */
  request: number
  /** Milliseconds that a server has to exit. */
  shutdown: number
}

/** Maximum bytes waiting for a server that does not read. */
const maxWaitingBytes = 64 * 1024 * 1024

/** Protocol errors that mean "not now": request cancelled, content modified, server cancelled. */
const transientErrors = new Set([-32800, -32801, -32802])

/** Connects to a started server and initializes it. @throws ToolError timeout, server_error if that fails */
export async function connectServer(deps: ConnectionDeps): Promise<Connection> {
  const { server, log, times } = deps
  // Loaded with the first server.
  const { CancellationTokenSource, createMessageConnection, ResponseError, StreamMessageWriter } =
    await import('vscode-jsonrpc/node')
  const reader = createMessageReader(server.output, deps.onAbuse)
  const connection = createMessageConnection(reader, new StreamMessageWriter(server.input))
  connection.onError(([error]) => log.add(`The connection failed: ${error.message}`))
  connection.onUnhandledNotification(() => undefined)
  const registrations = new Map<string, Registration>()
  handleServerMessages(connection, deps, registrations)
  connection.listen()

  async function send<R>(
    method: string,
    params: unknown,
    { signal, timeout = times.request }: { signal?: AbortSignal | undefined; timeout?: number },
  ): Promise<R> {
    signal?.throwIfAborted()
    const source = new CancellationTokenSource()
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
    const onAbort = (): void => {
      source.cancel()
      stop(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const timer = setTimeout(() => {
      source.cancel()
      stop(new ToolError('timeout', `${deps.definition.title} did not respond within ${timeout / 1000} s.`))
    }, timeout)
    const ended = server.exited.then((reason) => {
      throw new ToolError('server_error', `${deps.definition.title} ended (${reason}).`)
    })
    // The request may have ended before they fail.
    for (const failure of [stopped, ended]) failure.catch(() => undefined)
    try {
      // Throws immediately if the connection is closed.
      const answer = connection.sendRequest<R>(method, params, source.token)
      answer.catch(() => undefined)
      return await Promise.race([answer, stopped, ended])
    } catch (error) {
      if (!(error instanceof ResponseError)) throw error
      const reason = transientErrors.has(error.code) ? 'transient' : undefined
      throw new ToolError('server_error', `${deps.definition.title}: ${error.message}`, '', { reason, cause: error })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  const workspaceFolders = foldersOf(deps.workspace)
  const { capabilities } = await send<InitializeResult>(
    'initialize',
    {
      // A server exits if it cannot see this process.
      processId: server.seesProcesses ? process.pid : null,
      clientInfo: { name: 'Tizona', version: deps.version },
      rootUri: workspaceFolders[0]?.uri ?? null,
      workspaceFolders,
      capabilities: clientCapabilities,
      initializationOptions: deps.definition.initializationOptions,
    },
    { timeout: times.initialize },
  )
  const notify = (method: string, params: unknown): void => {
    // Once the process has exited, nobody reads the message.
    connection.sendNotification(method, params).catch(() => undefined)
    if (server.input.writableLength > maxWaitingBytes) deps.onAbuse('It does not read its input.')
  }
  notify('initialized', {})
  if (deps.definition.settings !== undefined)
    notify('workspace/didChangeConfiguration', { settings: deps.definition.settings })

  function renameFilters(when: 'willRename' | 'didRename'): FileOperationRegistrationOptions['filters'] {
    const registered = [...registrations.values()].filter(({ method }) => method === `workspace/${when}Files`)
    // The options follow the protocol. Other values have no filters.
    const options = registered.map(
      ({ registerOptions }) => registerOptions as Partial<FileOperationRegistrationOptions>,
    )
    return [capabilities.workspace?.fileOperations?.[when], ...options].flatMap((each) => each?.filters ?? [])
  }

  return {
    capabilities,
    renameFilters,
    get watchesFiles() {
      return [...registrations.values()].some(({ method }) => method === 'workspace/didChangeWatchedFiles')
    },
    supports(method) {
      if (method === 'workspace/willRenameFiles') return renameFilters('willRename').length > 0
      if (method === 'textDocument/semanticTokens/full') return hasSemanticTokens(capabilities, 'full')
      if (method === 'textDocument/semanticTokens/range') return hasSemanticTokens(capabilities, 'range')
      const capability = capabilityOf[method]
      return capability === undefined || Boolean(capabilities[capability])
    },
    request: (method, params, options) => send(method, params, options),
    notify,
    async close() {
      const asked = send('shutdown', undefined, { timeout: times.shutdown }).then(
        () => notify('exit', undefined),
        () => undefined,
      )
      await asked
      // Some servers exit only when their input ends.
      server.input.end()
      await raceTimeout(server.exited, times.shutdown)
      await server.end()
      connection.dispose()
    },
  }
}

function handleServerMessages(
  connection: MessageConnection,
  deps: ConnectionDeps,
  registrations: Map<string, Registration>,
): void {
  const { definition, log } = deps
  const answers: Record<string, (params: unknown) => unknown> = {
    // The parameters follow the protocol. A server that sends others gets an error response.
    'workspace/configuration': (params) =>
      (params as ConfigurationParams).items.map(({ section }) => settingOf(definition.settings, section)),
    'client/registerCapability': (params) => {
      for (const registration of (params as RegistrationParams).registrations)
        registrations.set(registration.id, registration)
      return null
    },
    'client/unregisterCapability': (params) => {
      // The protocol spells it so.
      for (const { id } of (params as UnregistrationParams).unregisterations) registrations.delete(id)
      return null
    },
    'workspace/workspaceFolders': () => foldersOf(deps.workspace),
    'workspace/applyEdit': (params) => deps.applyEdit(params as ApplyWorkspaceEditParams),
    'workspace/diagnostic/refresh': () => {
      deps.onRefreshDiagnostics()
      return null
    },
    'window/workDoneProgress/create': () => null,
    'window/showMessageRequest': (params) => {
      log.add((params as LogMessageParams).message)
      return null
    },
    'window/showDocument': () => ({ success: false }),
  }
  for (const [method, answer] of Object.entries(answers)) connection.onRequest(method, answer)
  connection.onRequest(() => null)
  connection.onNotification('window/logMessage', ({ type, message }: LogMessageParams) => {
    // Errors and warnings. TypeScript sends ten lines of information with each keystroke.
    if (type <= 2) log.add(message)
  })
  connection.onNotification('window/showMessage', ({ message }: LogMessageParams) => log.add(message))
  connection.onNotification('textDocument/publishDiagnostics', deps.onDiagnostics)
}

/** Returns the folders as the protocol describes them. */
function foldersOf(workspace: WorkspaceRoots): WorkspaceFolder[] {
  return folderPaths(workspace).map((folder, index) => ({
    uri: pathToFileURL(folder).href,
    name: workspace.folders?.[index]?.name ?? path.basename(folder),
  }))
}

/** Returns the setting for a section such as "typescript.format"; null if there is none. */
function settingOf(settings: Readonly<Record<string, unknown>> = {}, section = ''): unknown {
  let value: unknown = settings
  for (const key of section.split('.').filter((each) => each !== ''))
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : null
  return value ?? null
}

/** Requests that Tizona sends to servers: parameters and result. */
export interface ServerRequests {
  'textDocument/diagnostic': [lsp.DocumentDiagnosticParams, lsp.DocumentDiagnosticReport | null]
  'textDocument/hover': [lsp.HoverParams, lsp.Hover | null]
  'textDocument/definition': [lsp.DefinitionParams, lsp.Definition | lsp.LocationLink[] | null]
  'textDocument/references': [lsp.ReferenceParams, lsp.Location[] | null]
  'textDocument/prepareRename': [lsp.PrepareRenameParams, lsp.PrepareRenameResult | null]
  'textDocument/rename': [lsp.RenameParams, lsp.WorkspaceEdit | null]
  'textDocument/completion': [lsp.CompletionParams, lsp.CompletionList | lsp.CompletionItem[] | null]
  'completionItem/resolve': [lsp.CompletionItem, lsp.CompletionItem]
  'textDocument/signatureHelp': [lsp.SignatureHelpParams, lsp.SignatureHelp | null]
  'textDocument/codeAction': [lsp.CodeActionParams, (lsp.Command | lsp.CodeAction)[] | null]
  'codeAction/resolve': [lsp.CodeAction, lsp.CodeAction]
  'workspace/executeCommand': [lsp.ExecuteCommandParams, unknown]
  'workspace/willRenameFiles': [lsp.RenameFilesParams, lsp.WorkspaceEdit | null]
  'textDocument/formatting': [lsp.DocumentFormattingParams, lsp.TextEdit[] | null]
  'textDocument/rangeFormatting': [lsp.DocumentRangeFormattingParams, lsp.TextEdit[] | null]
  'textDocument/foldingRange': [lsp.FoldingRangeParams, lsp.FoldingRange[] | null]
  'textDocument/linkedEditingRange': [lsp.LinkedEditingRangeParams, lsp.LinkedEditingRanges | null]
  'textDocument/documentSymbol': [lsp.DocumentSymbolParams, lsp.DocumentSymbol[] | lsp.SymbolInformation[] | null]
  'workspace/symbol': [lsp.WorkspaceSymbolParams, lsp.SymbolInformation[] | lsp.WorkspaceSymbol[] | null]
  'textDocument/inlayHint': [lsp.InlayHintParams, lsp.InlayHint[] | null]
  'textDocument/semanticTokens/full': [lsp.SemanticTokensParams, lsp.SemanticTokens | null]
  'textDocument/semanticTokens/range': [lsp.SemanticTokensRangeParams, lsp.SemanticTokens | null]
  'textDocument/prepareCallHierarchy': [lsp.CallHierarchyPrepareParams, lsp.CallHierarchyItem[] | null]
  'callHierarchy/incomingCalls': [lsp.CallHierarchyIncomingCallsParams, lsp.CallHierarchyIncomingCall[] | null]
  'callHierarchy/outgoingCalls': [lsp.CallHierarchyOutgoingCallsParams, lsp.CallHierarchyOutgoingCall[] | null]
}
export type ServerRequestName = keyof ServerRequests

/** Features of servers by the capability that announces them. */
const capabilityOf: Partial<Record<ServerRequestName, keyof lsp.ServerCapabilities>> = {
  'textDocument/diagnostic': 'diagnosticProvider',
  'textDocument/hover': 'hoverProvider',
  'textDocument/definition': 'definitionProvider',
  'textDocument/references': 'referencesProvider',
  'textDocument/prepareRename': 'renameProvider',
  'textDocument/rename': 'renameProvider',
  'textDocument/completion': 'completionProvider',
  'textDocument/signatureHelp': 'signatureHelpProvider',
  'textDocument/codeAction': 'codeActionProvider',
  'workspace/executeCommand': 'executeCommandProvider',
  'textDocument/formatting': 'documentFormattingProvider',
  'textDocument/rangeFormatting': 'documentRangeFormattingProvider',
  'textDocument/foldingRange': 'foldingRangeProvider',
  'textDocument/linkedEditingRange': 'linkedEditingRangeProvider',
  'textDocument/documentSymbol': 'documentSymbolProvider',
  'workspace/symbol': 'workspaceSymbolProvider',
  'textDocument/inlayHint': 'inlayHintProvider',
  'textDocument/prepareCallHierarchy': 'callHierarchyProvider',
}
