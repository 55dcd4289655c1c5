import { homedir } from 'node:os'
import { Sequencer } from '../../shared/async/sequencer.ts'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { isWithoutFolder } from '../../shared/files/outsideFiles.ts'
import { isUntitled, nextUntitledPath } from '../../shared/files/untitled.ts'
import { toFailure, ToolError } from '../../shared/errors.ts'
import { createIsolatedJobs } from '../base/isolatedJob.ts'
import { absoluteIn, folderPaths, relativeIn } from '../base/workspaceRoots.ts'
import { log } from '../base/log/log.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { probeSandbox, type SandboxProgram } from '../command/sandbox/sandboxProbe.ts'
import type { Platform } from '../appServices/platform.ts'
import type { UserData } from '../appServices/userData.ts'
import type { EventHub } from '../appServices/eventHub.ts'
import type { SettingsStore } from '../settings/settingsStore.ts'
import { braveKeyId, createWeb } from '../web/webAccess.ts'
import { changeFolders, type FolderChange } from './changeFolders.ts'
import { openSession } from './openSession.ts'
import { watchWorkspaceFile } from './watchWorkspaceFile.ts'
import type { SessionDeps, WorkspaceSession } from './workspaceSession.ts'

/** Milliseconds that MCP servers started with a folder have. */
const serverStartTimeout = 600_000

export interface WorkspaceSwitcher {
  /** Returns the services of the open folder, if one is open. */
  session(): WorkspaceSession | undefined
  /** Returns the services of the open folder. @throws ToolError no_workspace */
  current(): WorkspaceSession
  /** Returns the jobs of the open folder, also while its folders change. @throws ToolError no_workspace */
  jobs(): Jobs
  /** Opens a folder and closes the previous one. If it cannot be opened, nothing changes. */
  open(path: string): Promise<WorkspaceInfo>
  /** Changes the folders of the workspace and opens it again. Unsaved texts and terminals go along. */
  changeFolders(change: FolderChange): Promise<WorkspaceInfo>
  close(): Promise<void>
  /** Opens the tour's temporary folder, whose path `makeCopy` returns, then runs `then`. */
  openTour<T>(
    makeCopy: (openFolder: string | undefined) => Promise<string>,
    then: (workspace: WorkspaceInfo) => T,
  ): Promise<T>
  /** Closes the open folder without an event. */
  dispose(): Promise<void>
}

interface WorkspaceSwitcherDeps extends Pick<SessionDeps, 'places' | 'gitCredentials' | 'recordHook'> {
  platform: Platform
  data: UserData
  events: Pick<EventHub, 'editor' | 'emit' | 'warn'>
  /** Trusts the folder in this process, and its MCP servers that the user has not decided about. */
  trustWorkspace: boolean
  /** Ends turns, calls and approvals of the folder that is being closed. */
  stopWork(): Promise<void>
  /** Called after the folders of the workspace changed. @param from the root before */
  foldersChanged(from: string): void
  /** Marks a worktree of a session as used. @returns a function that ends this */
  useWorktree(root: string): Promise<() => Promise<void>>
}

/** Opens and closes the workspace folder. Changes run one at a time. */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide the state that opening and closing share.
export function createWorkspaceSwitcher({
  platform,
  data: { db, settings, secrets, recents, trust, folderTrust, sessions, plugins },
  events: { editor, emit, warn },
  trustWorkspace,
  places,
  gitCredentials,
  recordHook,
  stopWork,
  foldersChanged,
  useWorktree,
}: WorkspaceSwitcherDeps): WorkspaceSwitcher {
  // With a window, the folder is watched and added to the recent folders, and its MCP servers start immediately.
  const windowed = platform.host !== 'headless'
  const { userData, otherDataFolders, resources, fork, version, pageViews } = platform
  const runIsolated = createIsolatedJobs(fork)
  const web = createWeb({ settings: () => settings.get().web, braveKey: () => secrets.get(braveKeyId), runIsolated })
  const mcp: SessionDeps['mcp'] = {
    home: homedir(),
    version,
    settings: () => settings.get().mcp,
    trust,
    trustAll: trustWorkspace,
    secret: (id, fresh) => secrets.get(id, fresh),
    setSecret: (id, value) => secrets.set(id, value),
    environment: process.env,
    onChanged: (state) => emit('mcp.changed', state),
  }
  // The machine's state does not change, so one check serves all folders.
  let probing: Promise<SandboxProgram> | undefined
  const commands: SessionDeps['commands'] = {
    settings: () => settings.get().commands,
    probe: () => (probing ??= probeSandbox()),
  }
  const sessionDeps = {
    db,
    editor,
    emit,
    web,
    runIsolated,
    commands,
    languageSettings: () => settings.get().languageServers,
    debugSettings: () => settings.get().debug,
    fileSettings: settings.get,
    localHistorySettings: () => settings.get().localHistory,
    mcp,
    plugins,
    places,
    userData,
    otherDataFolders,
    resources,
    fork,
    pageViews,
    watch: windowed,
    folderTrust,
    sessions,
    alwaysTrusted: trustWorkspace,
    gitCredentials,
    recordHook,
  }
  const changes = new Sequencer()
  let session: WorkspaceSession | undefined
  /** The session of the changed folders, while the one before is being closed. */
  let next: WorkspaceSession | undefined
  let endWatch: (() => void) | undefined
  let endUse: (() => Promise<void>) | undefined

  /** @param to takes over the terminals */
  async function leave(to?: WorkspaceSession): Promise<void> {
    const leaving = session
    if (!leaving) return
    endWatch?.()
    endWatch = undefined
    await stopWork()
    to?.jobs.adopt(leaving.jobs.handOver())
    next = to
    session = undefined
    try {
      await leaving.dispose()
      await endUse?.()
    } catch (error) {
      // The folder counts as closed, because its services can no longer be used.
      log.error('Closing a folder failed', error)
      warn(`${leaving.workspace.root} was not closed completely. ${toFailure(error).message}`)
    }
  }

  /** @param changed whether this is the open workspace with other folders, so that unsaved texts and terminals go along */
  async function enter(path: string, tour: boolean, changed = false): Promise<WorkspaceInfo> {
    // Another window may have decided about the folder.
    await Promise.all([folderTrust.reload(), sessions.reload()])
    // Opened before the previous one is closed, so that a failure changes nothing.
    const opened = await openSession(path, { ...sessionDeps, tour })
    const info = await opened.info().catch(async (error: unknown) => {
      await opened.dispose()
      throw error
    })
    const from = session?.workspace.root
    if (changed && session) await carryUnsaved(session, opened)
    await leave(changed ? opened : undefined)
    session = opened
    next = undefined
    const { workspace } = opened
    const ends = await Promise.all(folderPaths(workspace).map(useWorktree))
    endUse = async () => void (await Promise.all(ends.map((end) => end())))
    const { root } = workspace
    // The sessions view lists the tries of a task, which would push all other folders from the list.
    const isTry = sessions.value.sessions.some((each) => each.worktree === root && each.try)
    if (windowed && !tour && !isTry) await recents.add(workspace.multiRoot?.file ?? root)
    log.debug(`Opened ${root}`)
    if (changed && from !== undefined) foldersChanged(from)
    const { multiRoot } = workspace
    if (windowed && multiRoot)
      endWatch = watchWorkspaceFile(multiRoot, {
        onFolders: () => emit('workspace.fileChanged', { file: multiRoot.file }),
        // The window then reads the settings in it again.
        onSettings: () =>
          void opened.info().then(
            (now) => emit('workspace.changed', now),
            (error: unknown) => warn(toFailure(error).message),
          ),
        onProblem: warn,
        queue: changes.queue.bind(changes),
      })
    emit('workspace.changed', info)
    if (windowed) startServers(opened)
    return info
  }

  /** The next session has stored the texts before the one that is being left forgets them. */
  async function carryUnsaved(from: WorkspaceSession, to: WorkspaceSession): Promise<void> {
    const unsaved = from.buffers.list().filter(({ dirty, text }) => dirty && text !== null)
    const used = unsaved.map(({ path }) => path).filter(isUntitled)
    const moved = (file: string): string => {
      const path = isWithoutFolder(file) ? file : relativeIn(to.workspace, absoluteIn(from.workspace, file))
      // Its folder is no longer shown, so the text needs another place.
      if (path === null) used.push(nextUntitledPath(used))
      return path ?? used.at(-1) ?? file
    }
    await to.keepUnsaved(unsaved.map((state) => ({ ...state, path: moved(state.path) })))
    from.buffers.discard(unsaved.map((state) => state.path))
  }

  /** Starts the MCP servers in the background. The event `mcp.changed` reports their state. */
  function startServers({ mcp }: WorkspaceSession): void {
    mcp.ready(AbortSignal.timeout(serverStartTimeout)).catch((error: unknown) => warn(toFailure(error).message))
  }

  plugins.onChanged(() => {
    session?.pluginsChanged().catch((error: unknown) => warn(toFailure(error).message))
  })

  return {
    session: () => session,
    current() {
      if (!session) throw noWorkspace()
      return session
    },
    jobs() {
      const open = session ?? next
      if (!open) throw noWorkspace()
      return open.jobs
    },
    open: (path) => changes.queue(() => enter(path, false)),
    changeFolders: (change) =>
      changes.queue(async () => {
        if (!session) throw noWorkspace()
        const dataFolders = [userData, ...(otherDataFolders ?? [])]
        return enter(await changeFolders(session, change, { userData, dataFolders }), false, true)
      }),
    close: () =>
      changes.queue(async () => {
        await leave()
        emit('workspace.changed', null)
      }),
    openTour: (makeCopy, then) =>
      changes.queue(async () => then(await enter(await makeCopy(session?.workspace.root), true))),
    dispose: () => changes.queue(() => leave()),
  }
}

const noWorkspace = (): ToolError => new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')

/**
 * Applies changed settings to the MCP servers and language servers of the open folder. Changed command settings turn
 * the sandbox on and off.
 */
export function applyServerSettings(
  settings: Pick<SettingsStore, 'get' | 'onChanged'>,
  session: () => Pick<WorkspaceSession, 'mcp' | 'languages'> | undefined,
  warn: (message: string) => void,
): void {
  const sections = ['mcp', 'languageServers', 'commands'] as const
  const valueOf = (section: (typeof sections)[number]) => JSON.stringify(settings.get()[section])
  const applied = new Map(sections.map((section) => [section, valueOf(section)]))
  settings.onChanged(() => {
    for (const section of sections) {
      if (valueOf(section) === applied.get(section)) continue
      applied.set(section, valueOf(section))
      const open = session()
      const refreshed = section === 'mcp' ? open?.mcp.refresh() : open?.languages.refresh()
      refreshed?.catch((error: unknown) => warn(toFailure(error).message))
    }
  })
}
