import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol'
import type { LanguageServerStatus } from '../../shared/language/languageServers.ts'
import { createServerLog } from '../base/serverLog.ts'
import { createPullDiagnostics } from './pullDiagnostics.ts'
import type { ProblemStore } from './problemStore.ts'
import { createServer, type RunningServer, type ServerDeps } from './serverLifecycle.ts'
import { createServerDocuments, type ServerDocuments } from './serverDocuments.ts'
import { languageIdOf, type ServerDefinition } from './serverTable.ts'
import type { Uris } from './uris.ts'

/** A server of the open folder, with its documents and problems. */
export interface LanguageServer {
  readonly definition: ServerDefinition
  readonly documents: Pick<ServerDocuments, 'get' | 'all'>
  status(): LanguageServerStatus
  log(): string[]
  running(): RunningServer | undefined
  /** Path of the most recently started program. */
  program(): string | undefined
  /** Starts the server if necessary. Resolves when it runs, or cannot run now. */
  start(): Promise<RunningServer | undefined>
  /** Sends the server the current text of a file. Starts the server. */
  setText(path: string, text: string): void
  saved(path: string): void
  close(path: string): void
  /** Requests the problems of an open file, and resolves when they are stored or `signal` aborts. */
  diagnose(path: string, signal: AbortSignal): Promise<void>
  /** Notifies the server of files that changed on disk. */
  filesChanged(changes: { uri: string; type: 1 | 2 | 3 }[]): void
  answered(inTime: boolean): void
  stop(): Promise<void>
}

export interface LanguageServerDeps extends Omit<
  ServerDeps,
  'log' | 'onConnection' | 'onDiagnostics' | 'onRefreshDiagnostics' | 'applyEdit'
> {
  uris: Uris
  store: ProblemStore
  installable: boolean
  applyEdit(params: ApplyWorkspaceEditParams, server: LanguageServer): ApplyWorkspaceEditResult
}

export function createLanguageServer(deps: LanguageServerDeps): LanguageServer {
  const { definition, uris, store, times } = deps
  const log = createServerLog()
  const documents = createServerDocuments(uris.uriOf)
  const pushes = createPushWaits()
  let idleTimer: NodeJS.Timeout | undefined

  const server = createServer({
    ...deps,
    log,
    onConnection(running) {
      documents.connect(running)
      if (running) pulls.all()
      else {
        pulls.stop()
        store.clear(definition.id)
      }
    },
    onDiagnostics: receive,
    onRefreshDiagnostics: () => pulls.all(),
    applyEdit: (params) => deps.applyEdit(params, self),
  })
  const pulls = createPullDiagnostics({
    server: definition.id,
    documents,
    running: server.running,
    store,
    pathOf: uris.pathOf,
    log,
  })

  function receive({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
    const running = server.running()
    const path = uris.pathOf(uri)
    if (!running || path === null || !Array.isArray(diagnostics)) return
    const document = documents.get(path)
    // A response for older text would soon be replaced.
    if (document && version !== undefined && version !== null && version < document.version) return
    const lines = document?.lines ?? null
    store.set(path, { server: definition.id, way: 'push' }, diagnostics, {
      codec: running.codec,
      lines,
      pathOf: uris.pathOf,
    })
    pushes.received(path)
  }

  function watchIdle(): void {
    clearTimeout(idleTimer)
    if (documents.all().length > 0) return
    idleTimer = setTimeout(() => void server.stop(), times.idle)
    idleTimer.unref()
  }

  const self: LanguageServer = {
    definition,
    documents,
    status: () => ({
      id: definition.id,
      title: definition.title,
      languages: [...definition.languages],
      state: server.state,
      detail: server.detail,
      installable: deps.installable,
      ...(server.memory !== undefined && { memory: server.memory }),
    }),
    log: log.lines,
    running: server.running,
    program: server.program,
    start: server.start,
    setText(path, text) {
      clearTimeout(idleTimer)
      const changed = documents.setText(path, languageIdOf(path) ?? 'plaintext', text)
      if (!server.running()) void server.start()
      else if (changed) pulls.changed(path)
    },
    saved: documents.saved,
    close(path) {
      if (!documents.close(path)) return
      pulls.forget(path)
      store.clear(definition.id, path)
      watchIdle()
    },
    async diagnose(path, signal) {
      const running = await server.start()
      if (!running || !documents.get(path)) return
      if (running.connection.supports('textDocument/diagnostic')) return pulls.now(path, signal)
      await pushes.next(path, signal)
    },
    filesChanged(changes) {
      const running = server.running()
      if (!running?.connection.watchesFiles || changes.length === 0) return
      running.connection.notify('workspace/didChangeWatchedFiles', { changes })
      pulls.all()
    },
    answered: server.answered,
    async stop() {
      clearTimeout(idleTimer)
      pulls.stop()
      await server.stop()
      store.clear(definition.id)
    },
  }
  return self
}

/** Waits for a file's problems from a server that pushes them. */
function createPushWaits() {
  const waiting = new Map<string, (() => void)[]>()
  return {
    received(path: string): void {
      for (const resolve of waiting.get(path) ?? []) resolve()
      waiting.delete(path)
    },
    async next(path: string, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(path, [...(waiting.get(path) ?? []), resolve])
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
    },
  }
}
