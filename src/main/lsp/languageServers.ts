import path from 'node:path'
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  ServerCapabilities,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { FileChange } from '../../shared/files.ts'
import type {
  FileProblems,
  LanguageFeatures,
  LanguageServerStatus,
  LanguageState,
} from '../../shared/languageServers.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import { log } from '../base/log/log.ts'
import { exists } from '../base/smallFile.ts'
import type { ProcessTracking } from '../command/jobTypes.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'
import { createCompletion } from './answers/completion.ts'
import { createEdits, createFormatting } from './answers/edits.ts'
import { createNavigation } from './answers/navigation.ts'
import { createStructure } from './answers/structure.ts'
import { createAsk } from './askServers.ts'
import { createEditErrors } from './editErrors.ts'
import { findProgram } from './findProgram.ts'
import type { InstallDeps } from './install/installPackage.ts'
import { createServerInstaller, installablePackage } from './install/serverInstaller.ts'
import { createLanguageServer, type LanguageServer } from './languageServer.ts'
import { LineText } from './lineText.ts'
import type { Launch } from './launch.ts'
import { createProblemStore } from './problemStore.ts'
import { defaultTimes, type ServerTimes } from './server.ts'
import { languageIdOf, serverTable, type ServerDefinition } from './serverTable.ts'
import { createUris } from './uris.ts'

/** The language servers of the open folder. */
export type LanguageServers = ReturnType<typeof createLanguageServers>

export interface LanguageServersDeps {
  workspace: Pick<Workspace, 'root' | 'isOwnData'>
  buffers: Pick<Buffers, 'list' | 'get' | 'onChanged'>
  /** Reads the text of a file: of its tab if that has unsaved changes, else from disk. */
  readText(path: string, signal?: AbortSignal): Promise<string>
  settings(): { enabled: boolean; maxMemoryMegabytes: number; registry: string }
  /** Whether programs of the folder may run. */
  isTrusted(): boolean
  /** The user's data folder. */
  userData: string
  version: string
  processes: ProcessTracking
  fork?: ForkProcess | undefined
  /** Downloads an archive of a server. */
  download: InstallDeps['download']
  onServers(servers: LanguageServerStatus[]): void
  onProblems(problems: FileProblems): void
  onNotice(message: string): void
  table?: readonly ServerDefinition[]
  times?: Partial<ServerTimes>
  launch?: Launch
}

/** Longest text given to servers, in UTF-16 units. */
const maxTextLength = 4_000_000
/** How long a file that no tab shows stays open at its servers after a request about it, in milliseconds. */
const temporaryTime = 60_000

/** Nothing starts before a file of a server's language is opened or asked about. */
// oxlint-disable-next-line eslint/max-lines-per-function -- The parts share the servers and the files open at them.
export function createLanguageServers(deps: LanguageServersDeps) {
  const { workspace, buffers, readText, settings, isTrusted, table = serverTable } = deps
  const times = { ...defaultTimes, ...deps.times }
  const uris = createUris(workspace.root, workspace.isOwnData)
  const store = createProblemStore(deps.onProblems)
  let disposed = false
  /** Number of the latest read of a clean file, which makes earlier ones outdated. */
  const reads = new Map<string, number>()
  const temporary = new Map<string, NodeJS.Timeout>()
  /** Edits that servers want to apply while an action of the user runs. */
  const collecting = new Map<LanguageServer, WorkspaceEdit[]>()
  let refusalNoticed = false
  /** Ids of the servers that are used only with a configuration file, and have one. */
  const configured = new Set<string>()

  const statusChanged = (): void => {
    if (!disposed) deps.onServers(statuses())
  }
  const installer = createServerInstaller({
    userData: deps.userData,
    registry: () => settings().registry,
    download: deps.download,
    onChanged: statusChanged,
  })
  const servers = table.map((definition) =>
    createLanguageServer({
      definition,
      root: workspace.root,
      version: deps.version,
      processes: deps.processes,
      fork: deps.fork,
      times,
      ...(deps.launch && { launch: deps.launch }),
      maxMemory: () => settings().maxMemoryMegabytes,
      find: () =>
        findProgram(definition, {
          workspace: workspace.root,
          installed: installer.folder,
          searchPath: process.env['PATH'] ?? '',
        }),
      installable: installablePackage(definition) !== undefined,
      uris,
      store,
      applyEdit,
      onChanged: statusChanged,
      onNotice: deps.onNotice,
    }),
  )

  /** Servers may change files only as part of an action that the user chose. The window applies the edits. */
  function applyEdit({ edit }: ApplyWorkspaceEditParams, server: LanguageServer): ApplyWorkspaceEditResult {
    const edits = collecting.get(server)
    if (edits) {
      edits.push(edit)
      return { applied: true }
    }
    if (!refusalNoticed) {
      refusalNoticed = true
      deps.onNotice(
        `${server.definition.title} wanted to change files without an action of yours. Nothing was changed.`,
      )
    }
    return { applied: false, failureReason: 'No action of the user is running.' }
  }

  async function collectEdits(server: LanguageServer, run: () => Promise<unknown>): Promise<WorkspaceEdit[]> {
    const edits: WorkspaceEdit[] = []
    collecting.set(server, edits)
    try {
      await run()
    } finally {
      collecting.delete(server)
    }
    return edits
  }

  const isAllowed = (): boolean => !disposed && settings().enabled && isTrusted()

  function statuses(): LanguageServerStatus[] {
    const off = !settings().enabled
      ? 'Language servers are switched off in the settings.'
      : isTrusted()
        ? undefined
        : 'This folder is not trusted.'
    return servers.map((server) => {
      const installing = installer.progress(server.definition)
      if (installing !== undefined) return { ...server.status(), state: 'installing', detail: installing }
      return off === undefined ? server.status() : { ...server.status(), state: 'off', detail: off }
    })
  }

  function serversFor(file: string): LanguageServer[] {
    const language = languageIdOf(file)
    if (language === undefined) return []
    return servers.filter(({ definition }) => definition.serves.includes(language) && isConfigured(definition))
  }

  const isConfigured = ({ id, onlyWith }: ServerDefinition): boolean => onlyWith === undefined || configured.has(id)

  /** Checks which servers have their configuration file, and gives them the open files. */
  async function checkConfigured(): Promise<void> {
    for (const { id, onlyWith = [] } of table) {
      const found = await Promise.all(onlyWith.map((name) => exists(path.join(workspace.root, name))))
      if (found.includes(true)) configured.add(id)
      else configured.delete(id)
    }
    for (const { path: file } of buffers.list()) bufferChanged(file)
  }

  function give(file: string, text: string): void {
    if (text.length > maxTextLength) return
    for (const server of serversFor(file)) server.setText(file, text)
  }

  /** Reads a file whose tab has no unsaved changes, and gives it to its servers. */
  async function giveFromDisk(file: string): Promise<void> {
    const read = (reads.get(file) ?? 0) + 1
    reads.set(file, read)
    try {
      const text = await readText(file)
      if (reads.get(file) === read && isAllowed()) give(file, text)
    } catch (error) {
      // The file was deleted, or is not text: its servers keep the last version.
      if (toFailure(error).code === 'internal') log.error('Reading a file for a language server failed', error)
    }
  }

  function bufferChanged(file: string): void {
    if (!isAllowed() || serversFor(file).length === 0) return
    const state = buffers.get(file)
    reads.set(file, (reads.get(file) ?? 0) + 1)
    if (state === undefined) {
      if (!temporary.has(file)) for (const server of serversFor(file)) server.close(file)
      return
    }
    keepOpen(file)
    if (state.text === null) {
      for (const server of serversFor(file)) server.saved(file)
      void giveFromDisk(file)
    } else give(file, state.text)
  }
  const stopListening = buffers.onChanged(bufferChanged)
  void checkConfigured()

  function keepOpen(file: string): void {
    clearTimeout(temporary.get(file))
    temporary.delete(file)
  }

  /** Opens a file that no tab shows at its servers for some time. */
  function openTemporarily(file: string): void {
    if (buffers.get(file)) return
    clearTimeout(temporary.get(file))
    const timer = setTimeout(() => {
      temporary.delete(file)
      if (!buffers.get(file)) for (const server of serversFor(file)) server.close(file)
    }, temporaryTime)
    timer.unref()
    temporary.set(file, timer)
  }

  /** Gives a file to its servers, so that they can answer about it. */
  async function ensureOpen(file: string, signal?: AbortSignal): Promise<void> {
    if (buffers.get(file) && serversFor(file).every((server) => server.documents.get(file))) return
    const text = buffers.get(file)?.text ?? (await readText(file, signal))
    openTemporarily(file)
    give(file, text)
  }

  async function knowsProject({ projectFiles }: ServerDefinition, file: string): Promise<boolean> {
    if (projectFiles === undefined) return true
    for (let folder = path.posix.dirname(file); ; folder = path.posix.dirname(folder)) {
      const found = await Promise.all(projectFiles.map((name) => exists(path.join(workspace.root, folder, name))))
      if (found.includes(true)) return true
      if (folder === '.') return false
    }
  }

  async function linesOf(file: string): Promise<LineText | null> {
    for (const server of serversFor(file)) {
      const lines = server.documents.get(file)?.lines
      if (lines) return lines
    }
    try {
      return new LineText(buffers.get(file)?.text ?? (await readText(file)))
    } catch (error) {
      if (toFailure(error).code === 'internal') throw error
      return null
    }
  }

  /**
   * Requests the current problems of a file from its servers, with unsaved changes.
   * @param given text to check in place of the current one
   * @returns undefined if no server runs for it
   */
  async function diagnose(file: string, signal: AbortSignal, given?: string): Promise<FileProblems | undefined> {
    if (!isAllowed() || serversFor(file).length === 0) return undefined
    const text = given ?? buffers.get(file)?.text ?? (await readText(file, signal))
    openTemporarily(file)
    give(file, text)
    const answered = await Promise.all(
      serversFor(file).map(async (server) => {
        const running = await unlessAborted(server.start(), signal)
        if (running) await server.diagnose(file, signal)
        return running !== undefined
      }),
    )
    return answered.includes(true) ? store.of(file) : undefined
  }

  const { ask, askAll } = createAsk({
    uris,
    serversFor: (file) => (isAllowed() ? serversFor(file) : []),
    ensureOpen,
    linesOf,
    knowsProject,
  })

  return {
    ...createNavigation(ask),
    ...createCompletion(ask),
    ...createStructure(ask),
    ...createFormatting(ask),
    ...createEdits({ ask, askAll, store, collectEdits }),
    state: (): LanguageState => ({ servers: statuses(), problems: store.all() }),
    problems: store.of,
    /** Whether servers may run: the setting is on and the folder is trusted. */
    isAllowed,

    /** Returns what the servers of a file support, after they have started. Null if none runs. */
    async features(file: string): Promise<LanguageFeatures | null> {
      if (!isAllowed()) return null
      const running = await Promise.all(serversFor(file).map((server) => server.start()))
      const all = running.flatMap((each) => (each ? [each.connection.capabilities] : []))
      return all.length === 0 ? null : featuresOf(all)
    },

    diagnose,
    editErrors: createEditErrors({
      isCurrent: (file) =>
        isAllowed() && serversFor(file).some((server) => server.running() && server.documents.get(file)),
      isOpen: (file) => buffers.get(file) !== undefined,
      problems: store.of,
      diagnose,
    }),

    /** Call after files changed on disk. `overflow`: more than these changed. */
    filesChanged(changes: readonly FileChange[]): void {
      if (!isAllowed()) return
      for (const { path: file } of changes) if (buffers.get(file)?.dirty === false) void giveFromDisk(file)
      if (changes.some(({ path: file }) => table.some(({ onlyWith }) => onlyWith?.includes(file))))
        void checkConfigured()
      const types = { created: 1, changed: 2, deleted: 3 } as const
      const events = changes
        .filter(({ directory }) => !directory)
        .map(({ path: file, change }) => ({ uri: uris.uriOf(file), type: types[change] }))
      for (const server of servers) server.filesChanged(events)
    },

    /** Starts or stops the servers after the settings or the trust in the folder changed. */
    async refresh(): Promise<void> {
      if (isAllowed()) for (const { path: file } of buffers.list()) bufferChanged(file)
      else await Promise.all(servers.map((server) => server.stop()))
      deps.onServers(statuses())
    },

    /** Downloads a server and starts it. @throws ToolError conflict if Tizona cannot install it; network_error */
    async install(id: string): Promise<LanguageState> {
      const { definition } = find(id)
      if (installablePackage(definition) === undefined)
        throw new ToolError(
          'conflict',
          `Tizona cannot install ${definition.title}.`,
          'Install it so that it is on PATH.',
        )
      await installer.install(definition)
      if (isAllowed()) for (const { path: file } of buffers.list()) bufferChanged(file)
      return { servers: statuses(), problems: store.all() }
    },

    log: (id: string): string[] => find(id).log(),

    async restart(id: string): Promise<LanguageState> {
      const server = find(id)
      await server.stop()
      if (isAllowed()) await server.start()
      return { servers: statuses(), problems: store.all() }
    },

    async dispose(): Promise<void> {
      disposed = true
      installer.close()
      stopListening()
      for (const timer of temporary.values()) clearTimeout(timer)
      await Promise.all(servers.map((server) => server.stop()))
      store.close()
    },
  }

  function find(id: string): LanguageServer {
    const server = servers.find(({ definition }) => definition.id === id)
    if (!server) throw new ToolError('not_found', `There is no language server "${id}".`)
    return server
  }
}

/** Resolves with undefined when the signal aborts first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  if (signal.aborted) return undefined
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return Promise.race([promise, aborted])
}

function featuresOf(all: readonly ServerCapabilities[]): LanguageFeatures {
  const has = (name: keyof ServerCapabilities): boolean => all.some((capabilities) => Boolean(capabilities[name]))
  const union = (of: (capabilities: ServerCapabilities) => string[] | undefined): string[] => [
    ...new Set(all.flatMap((capabilities) => of(capabilities) ?? [])),
  ]
  return {
    completionTriggers: union(({ completionProvider }) => completionProvider?.triggerCharacters),
    signatureTriggers: union(({ signatureHelpProvider }) => signatureHelpProvider?.triggerCharacters),
    signatureRetriggers: union(({ signatureHelpProvider }) => signatureHelpProvider?.retriggerCharacters),
    formatting: has('documentFormattingProvider'),
    rangeFormatting: has('documentRangeFormattingProvider'),
    foldingRanges: has('foldingRangeProvider'),
    inlayHints: has('inlayHintProvider'),
    semanticTokens: has('semanticTokensProvider'),
    codeActions: has('codeActionProvider'),
  }
}
