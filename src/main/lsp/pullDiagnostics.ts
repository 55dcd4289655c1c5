import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentDiagnosticReport } from 'vscode-languageserver-protocol'
import { isAbort, ToolError } from '../../shared/errors.ts'
import type { ServerLog } from '../base/serverLog.ts'
import type { ProblemStore } from './problemStore.ts'
import type { RunningServer } from './serverLifecycle.ts'
import type { ServerDocuments } from './serverDocuments.ts'
import { Latest } from '../../shared/async/latest.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Requests problems from a server that does not push them. */
export interface PullDiagnostics {
  /** Requests a file's problems now, and those of the other open files after a pause. */
  changed(path: string): void
  /** Requests the problems of all open files. */
  all(): void
  /** Requests a file's problems, and resolves when they are stored or the request failed. */
  now(path: string, signal: AbortSignal): Promise<void>
  forget(path: string): void
  stop(): void
}

interface PullDeps {
  server: string
  documents: ServerDocuments
  running(): RunningServer | undefined
  store: ProblemStore
  pathOf(uri: string): string | null
  log: ServerLog
}

/** Milliseconds of typing pause after which the problems of other files are requested. */
const othersDelay = 500
/** Milliseconds before a postponed request is repeated. */
const retryDelay = 500

export function createPullDiagnostics({ server, documents, running, store, pathOf, log }: PullDeps): PullDiagnostics {
  const requests = new Map<string, AbortController>()
  const resultIds = new Map<string, string>()
  const rounds = new Latest()
  /** The file whose change starts the next round, and which the round leaves out. */
  let changed: string | undefined
  const others = new Delayer(startOthers, othersDelay)

  /** @returns false if the server postponed the response */
  async function request(path: string, signal: AbortSignal): Promise<boolean> {
    const target = running()
    const document = documents.get(path)
    if (!document || !target?.connection.supports('textDocument/diagnostic')) return true
    const { version, lines, uri } = document
    const provider = target.connection.capabilities.diagnosticProvider
    try {
      const report = await target.connection.request(
        'textDocument/diagnostic',
        {
          textDocument: { uri },
          ...(provider?.identifier !== undefined && { identifier: provider.identifier }),
          ...(resultIds.has(path) && { previousResultId: resultIds.get(path) }),
        },
        { signal },
      )
      const current = documents.get(path)
      if (current?.version === version) keep(path, report, target, lines)
      return true
    } catch (error) {
      if (isAbort(error) || signal.aborted) return true
      if (error instanceof ToolError && error.reason === 'transient') return false
      log.add(error instanceof Error ? error.message : String(error))
      return true
    }
  }

  function keep(
    path: string,
    report: DocumentDiagnosticReport | null,
    { codec }: RunningServer,
    lines: Parameters<ProblemStore['set']>[3]['lines'],
  ): void {
    if (report?.kind !== 'full') return
    if (report.resultId === undefined) resultIds.delete(path)
    else resultIds.set(path, report.resultId)
    store.set(path, { server, way: 'pull' }, report.items, { codec, lines, pathOf })
    for (const [uri, related] of Object.entries(report.relatedDocuments ?? {})) {
      const other = pathOf(uri)
      if (other === null || related.kind !== 'full') continue
      const otherLines = documents.get(other)?.lines ?? null
      store.set(other, { server, way: 'pull' }, related.items, { codec, lines: otherLines, pathOf })
    }
  }

  /**
   * Replaces a running request for the file, whose response would be outdated. Repeats it while the server postpones
   * it.
   */
  async function start(path: string): Promise<void> {
    requests.get(path)?.abort()
    const controller = new AbortController()
    const { signal } = controller
    requests.set(path, controller)
    while (!(await request(path, signal)) && !signal.aborted) await sleep(retryDelay, undefined, { ref: false })
    if (requests.get(path) === controller) requests.delete(path)
  }

  async function startOthers(): Promise<void> {
    const isLatest = rounds.begin()
    const except = changed
    for (const { path } of documents.all()) {
      // A later change starts its own round.
      if (!isLatest()) return
      if (path === except) continue
      // One at a time, so that the file that the user edits next does not wait for all others.
      await start(path)
    }
  }

  return {
    changed(path) {
      void start(path)
      changed = path
      others.restart()
    },
    all() {
      changed = undefined
      others.restart(0)
    },
    async now(path, signal) {
      await request(path, signal)
    },
    forget(path) {
      requests.get(path)?.abort()
      requests.delete(path)
      resultIds.delete(path)
    },
    stop() {
      rounds.begin()
      others.cancel()
      for (const controller of requests.values()) controller.abort()
      requests.clear()
      resultIds.clear()
    },
  }
}
