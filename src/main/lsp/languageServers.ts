import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { FileChange } from '../../shared/files/files.ts'
import type {
  FileProblems,
  LanguageFeatures,
  LanguageServerStatus,
  LanguageState,
} from '../../shared/language/languageServers.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { FilesNamed } from '../search/filesNamed.ts'
import type { FolderPrograms } from '../settings/folderPrograms.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'
import { createCallHierarchy } from './features/callHierarchy.ts'
import { createCompletion } from './features/serverCompletion.ts'
import { createEdits, createFormatting } from './features/edits.ts'
import { createFileMoves } from './features/fileMoves.ts'
import { createNavigation } from './features/navigation.ts'
import { createStructure } from './features/structure.ts'
import { createSymbols } from './features/symbols.ts'
import { createServerQueries } from './queryServers.ts'
import { createEditErrors } from './editErrors.ts'
import { findPrograms, type FoundProgram } from './findProgram.ts'
import type { InstallDeps } from './install/installPackage.ts'
import { createServerInstaller, installablePackage } from './install/serverInstaller.ts'
import { createLanguageServer, type LanguageServer } from './languageServer.ts'
import { nodeProgram } from '../base/nodeProgram.ts'
import { absoluteIn, folderPaths, relativeIn } from '../base/workspaceRoots.ts'
import { launchMode, type Launch } from './launchServer.ts'
import { createLibraryFiles } from './libraryFiles.ts'
import { createProblemStore } from './problemStore.ts'
import { createProjectFiles } from './serverDocuments.ts'
import { defaultTimes, type PermittedProgram, type ServerTimes } from './serverLifecycle.ts'
import { createServerEdits } from './serverEdits.ts'
import { featuresOf } from './serverFeatures.ts'
import { languageIdOf, serverTable, type ServerDefinition } from './serverTable.ts'
import { createServerTexts } from './serverTexts.ts'
import { createUris } from './uris.ts'

export type LanguageServers = ReturnType<typeof createLanguageServers>

export interface LanguageServersDeps {
  workspace: Pick<Workspace, 'root' | 'isOwnData'>
  buffers: Pick<Buffers, 'list' | 'get' | 'onChanged'>
  /** Reads the text of a file, from its tab if that has unsaved changes. */
  readText(path: string, signal?: AbortSignal): Promise<string>
  settings(): {
    enabled: boolean
    maxMemoryMegabytes: number
    registry: string
    outsideSandbox: string
    updateImportsOnFileMove: 'prompt' | 'always' | 'never'
  }
  /** Whether programs in the folder may run. */
  isTrusted(): boolean
  /** The user's data folder. */
  userData: string
  version: string
  jobs: Pick<Jobs, 'startConfined' | 'unconfinedReason'>
  programs: Pick<FolderPrograms, 'isApproved' | 'pending'>
  filesNamed: FilesNamed
  packagesNamed: FilesNamed
  fork?: ForkProcess | undefined
  /** Downloads the archive of a server. */
  download: InstallDeps['download']
  onServers(servers: LanguageServerStatus[]): void
  onProblems(problems: FileProblems): void
  onNotice(message: string): void
  table?: readonly ServerDefinition[]
  times?: Partial<ServerTimes>
  launch?: Launch
}

/** Nothing starts before a file in a server's language is opened or queried. */
// oxlint-disable-next-line eslint/max-lines-per-function -- The parts share the servers.
export function createLanguageServers(deps: LanguageServersDeps) {
  const { workspace, buffers, readText, settings, isTrusted, table = serverTable } = deps
  const times = { ...defaultTimes, ...deps.times }
  const uris = createUris(workspace, workspace.isOwnData)
  const store = createProblemStore(deps.onProblems)
  const edits = createServerEdits(deps.onNotice)
  const projectFiles = createProjectFiles(workspace, table)
  const libraries = createLibraryFiles()
  let disposed = false

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
      workspace,
      version: deps.version,
      startProgram: deps.jobs.startConfined,
      fork: deps.fork,
      times,
      ...(deps.launch && { launch: deps.launch }),
      maxMemory: () => settings().maxMemoryMegabytes,
      find: () => findPermitted(definition),
      installable: installablePackage(definition) !== undefined,
      uris,
      store,
      applyEdit: edits.applyEdit,
      onChanged: statusChanged,
      onNotice: deps.onNotice,
    }),
  )

  /** Finds a server's programs, preferred one first: those in a folder of a multi-root workspace before the others. */
  async function programsOf(definition: ServerDefinition): Promise<FoundProgram[]> {
    const machine = { installed: installer.folder, searchPath: process.env['PATH'] ?? '' }
    const found = await Promise.all(
      folderPaths(workspace).map((folder) => findPrograms(definition, { ...machine, workspace: folder })),
    )
    if (found.length === 1) return found.flat()
    const all = new Map(found.flat().map((program) => [program.file, program]))
    return [...all.values()].toSorted((a, b) => Number(b.origin === 'workspace') - Number(a.origin === 'workspace'))
  }

  /** Finds the preferred program of a server that may start. */
  async function findPermitted(definition: ServerDefinition): Promise<PermittedProgram | { blocked: string } | null> {
    const found = await programsOf(definition)
    if (found.length === 0) return null
    const outside = deps.settings().outsideSandbox.split(/[\s,]+/)
    const machine = {
      runsFolderCode: definition.runsFolderCode !== undefined,
      allowedOutside: outside.includes(definition.id),
      unconfined: await deps.jobs.unconfinedReason(),
      hasNode: nodeProgram() !== undefined,
    }
    for (const file of await folderCode(definition)) {
      if (!(await deps.programs.isApproved(file)))
        return {
          blocked: `${relativeIn(workspace, file) ?? file} is new or has changed since you trusted this folder.`,
        }
    }
    const reasons: string[] = []
    for (const program of found) {
      const mode = launchMode({ program, ...machine })
      if (typeof mode === 'object') reasons.push(`${program.description} ${mode.refused}`)
      else if (program.origin === 'workspace' && !(await deps.programs.isApproved(program.file)))
        reasons.push(`${program.description} It is new or has changed since you trusted this folder.`)
      else return { program, mode }
    }
    return { blocked: reasons[0] ?? '' }
  }

  /** Lists the existing code in the folder that a server runs. Absolute paths. */
  async function folderCode({ runsFolderCode }: ServerDefinition): Promise<string[]> {
    if (runsFolderCode === undefined) return []
    const { configurations, packages } = runsFolderCode
    const found = await Promise.all([deps.filesNamed(configurations), deps.packagesNamed(packages)])
    return found.flat().map((file) => absoluteIn(workspace, file))
  }

  /** Stops the servers whose code changed, so that they only load it with approval. */
  async function stopChanged(paths: readonly string[]): Promise<void> {
    const names = new Set(paths.map((each) => path.posix.basename(each)))
    const changed = servers.filter(({ definition }) =>
      definition.runsFolderCode?.configurations.some((name) => names.has(name)),
    )
    if (changed.length === 0) return
    await Promise.all(changed.map((server) => server.stop()))
    texts.giveTabs()
  }

  const isAllowed = (): boolean => !disposed && settings().enabled && isTrusted()

  function statuses(): LanguageServerStatus[] {
    const off = !settings().enabled
      ? 'Language servers are turned off in the settings.'
      : isTrusted()
        ? undefined
        : 'This folder is not trusted.'
    return servers.map((server) => {
      const installing = installer.progress(server.definition)
      if (installing !== undefined) return { ...server.status(), state: 'installing', detail: installing }
      return off === undefined ? server.status() : { ...server.status(), state: 'off', detail: off }
    })
  }

  const state = (): LanguageState => ({ servers: statuses(), problems: store.all(), programs: deps.programs.pending() })

  function serversFor(file: string): LanguageServer[] {
    const language = languageIdOf(file)
    if (language === undefined) return []
    return servers.filter(
      ({ definition }) => definition.serves.includes(language) && projectFiles.isConfigured(definition),
    )
  }

  const texts = createServerTexts({ buffers, readText, isAllowed, serversFor })

  /** Checks which servers have their configuration file, and sends them the open files. */
  async function checkConfigured(): Promise<void> {
    await projectFiles.check()
    texts.giveTabs()
  }
  void checkConfigured()

  /**
   * Requests a file's current problems from its servers, including unsaved changes.
   * @param given text to check instead of the current one
   * @returns undefined if no server runs for it
   */
  async function diagnose(file: string, signal: AbortSignal, given?: string): Promise<FileProblems | undefined> {
    if (!isAllowed() || serversFor(file).length === 0) return undefined
    texts.giveTemporarily(file, given ?? buffers.get(file)?.text ?? (await readText(file, signal)))
    const answered = await Promise.all(
      serversFor(file).map(async (server) => {
        const running = await unlessAborted(server.start(), signal)
        if (running) await server.diagnose(file, signal)
        return running !== undefined
      }),
    )
    return answered.includes(true) ? store.of(file) : undefined
  }

  const { query, queryAll, queryRunning } = createServerQueries({
    uris,
    libraryOf: libraries.add,
    servers: () => (isAllowed() ? servers : []),
    serversFor: (file) => (isAllowed() ? serversFor(file) : []),
    ensureOpen: texts.ensureOpen,
    linesOf: texts.linesOf,
    knowsProject: projectFiles.knowsProject,
    startWait: times.start,
  })

  return {
    ...createNavigation(query),
    ...createCompletion(query),
    ...createStructure(query),
    ...createSymbols(query, queryRunning, times.symbols),
    ...createCallHierarchy(query),
    ...createFormatting(query),
    ...createFileMoves({
      workspace,
      uriOf: uris.uriOf,
      queryRunning,
      running: () => (isAllowed() ? servers.flatMap((server) => server.running() ?? []) : []),
      policy: () => settings().updateImportsOnFileMove,
      maxWait: times.moves,
    }),
    ...createEdits({ query, queryAll, store, collectEdits: edits.collect }),
    state,
    /** Programs in the folder that Tizona might start. Absolute paths. */
    async folderPrograms(): Promise<string[]> {
      const found = await Promise.all(table.map(programsOf))
      const code = await Promise.all(table.map(folderCode))
      return [...found.flat().flatMap(({ origin, file }) => (origin === 'workspace' ? [file] : [])), ...code.flat()]
    },
    problems: store.of,
    /** Whether servers may run: the setting is on and the folder is trusted. */
    isAllowed,
    /** Reads a library file named by a server. @throws ToolError not_found, too_large, binary_file */
    libraryFile: libraries.read,

    /** Returns the features supported by a file's servers, after they have started. Null if none runs. */
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

    /** Call this after files changed on disk. `overflow`: more files than these changed. */
    filesChanged(changes: readonly FileChange[]): void {
      if (!isAllowed()) return
      const paths = changes.map((change) => change.path)
      texts.filesChanged(paths)
      if (projectFiles.includesConfiguration(paths)) void checkConfigured()
      void stopChanged(paths)
      const types = { created: 1, changed: 2, deleted: 3 } as const
      const events = changes
        .filter(({ directory }) => !directory)
        .map(({ path: file, change }) => ({ uri: uris.uriOf(file), type: types[change] }))
      for (const server of servers) server.filesChanged(events)
    },

    /** Starts or stops servers after the settings, the sandbox, or trust in the folder or a program has changed. */
    async refresh(): Promise<void> {
      const stopped = servers.filter((server) => !isAllowed() || server.status().state === 'blocked')
      await Promise.all(stopped.map((server) => server.stop()))
      if (isAllowed()) texts.giveTabs()
      deps.onServers(statuses())
    },

    /** Downloads a server and starts it. @throws ToolError conflict if Tizona cannot install it; network_error */
    async install(id: string): Promise<LanguageState> {
      const { definition } = find(id)
      if (installablePackage(definition) === undefined)
        throw new ToolError(
          'conflict',
          `Tizona cannot install ${definition.title}.`,
          'Install it yourself and add it to PATH.',
        )
      await installer.install(definition)
      if (isAllowed()) texts.giveTabs()
      return state()
    },

    log: (id: string): string[] => find(id).log(),

    async restart(id: string): Promise<LanguageState> {
      const server = find(id)
      await server.stop()
      if (isAllowed()) await server.start()
      return state()
    },

    async dispose(): Promise<void> {
      disposed = true
      installer.close()
      texts.stop()
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

/** Resolves with undefined if the signal aborts first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  if (signal.aborted) return undefined
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return Promise.race([promise, aborted])
}
