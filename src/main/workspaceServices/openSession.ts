import { basename } from 'node:path'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { workspaceFileExtension } from '../../shared/files/workspaceFolders.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { recordOpenFolder } from '../base/openFolders.ts'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import { folderPaths } from '../base/workspaceRoots.ts'
import { encodeText } from '../base/textFormat.ts'
import { readEditorConfig } from '../formatting/editorConfig.ts'
import { createGit } from '../git/git.ts'
import { createEditJournal } from '../history/editJournal.ts'
import { createLocalHistory } from '../history/localHistory/localHistory.ts'
import type { InstructionDeps } from '../instructions/instructionFiles.ts'
import { createInstructions } from '../instructions/instructions.ts'
import { hasSkillFolders, loadSkill } from '../instructions/skills.ts'
import { createHooks } from '../hooks/hooks.ts'
import { createMcp } from '../mcp/mcpServers.ts'
import { createFileNameSearch } from '../search/fileNameSearch.ts'
import { createNotebookKernels } from '../notebook/notebookKernels.ts'
import { createSearch } from '../search/search.ts'
import { createFolderPrograms } from '../settings/folderPrograms.ts'
import { linksOf } from '../sessions/sessionGit.ts'
import { refuseRemoving } from '../sessions/sessionInfo.ts'
import { withoutSecrets } from '../tools/secretGuard.ts'
import { readBranch } from '../workspace/branch.ts'
import { createBuffers, type Buffers } from '../workspace/buffers.ts'
import { watchOutsideFiles } from '../workspace/outsideWatcher.ts'
import { buffersInFolder, createOutsideFiles } from '../workspace/outsideFiles.ts'
import { openWorkspace, resolveAlsoIn, type Workspace } from '../workspace/containment.ts'
import { createDeletedEntries } from '../workspace/deletedEntries.ts'
import { createDocuments } from '../workspace/documents.ts'
import { createEncodingLookup, createFileEncodings } from '../workspace/fileEncodings.ts'
import { createFileOperations } from '../workspace/fileOperations.ts'
import { openUnsavedBackups, type UnsavedBackups } from '../workspace/unsavedBackups.ts'
import { createUploads } from '../workspace/uploads.ts'
import { createCodeServices } from './codeServices.ts'
import { createVariableValues } from './variableValues.ts'
import { withoutStash } from './withoutStash.ts'
import { createCommandServices } from './commandServices.ts'
import { checkedAddresses } from '../web/hostCheck.ts'
import { findChromium } from '../base/findChromium.ts'
import { folderPorts } from '../preview/folderPorts.ts'
import { createPageView } from '../preview/pageView.ts'
import { createPreview } from '../preview/preview.ts'
import { createDebugServices } from './debugServices.ts'
import {
  changeFolderSettings,
  readConfiguration,
  readEditorSettings,
  readFolderSettings,
  readFolderSnippets,
  readVsCodeEditorSettings,
  readWorkspaceSettings,
} from './restrictedFolderSettings.ts'
import { createFileRules } from './fileRules.ts'
import { createWorkspaceHash } from './hashWorkspaceFile.ts'
import { pluginAgents, pluginServers } from './pluginParts.ts'
import { indexedWrites } from './indexedWrites.ts'
import { createContentReader, recordedChanges, recordedRestores } from './recordedChanges.ts'
import { journalFiles, createReviewServices, createReviewedSourceControl } from './reviewServices.ts'
import { watchFolder } from './watchFolder.ts'
import type { SessionDeps, WorkspaceSession } from './workspaceSession.ts'
import { linksFolder } from './changeFolders.ts'
import { releaseLinks } from '../workspace/multiRoot.ts'
import { createWorkspaceTrust } from './workspaceTrust.ts'

/** Opens a folder and creates its services. @throws ToolError not_found, not_a_directory, permission_denied */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide which service gets which.
export async function openSession(folder: string, deps: SessionDeps): Promise<WorkspaceSession> {
  const {
    db,
    editor,
    emit,
    web,
    runIsolated,
    places,
    mcp: mcpDeps,
    userData,
    otherDataFolders = [],
    tour,
    watch,
  } = deps
  const workspace = await openWorkspace(folder, {
    dataFolders: [userData, ...otherDataFolders],
    insideData: tour,
    links: linksFolder(userData),
  })
  const { multiRoot } = workspace
  const tops = folderPaths(workspace)
  /** Worktrees of sessions among the folders. */
  const worktrees = (deps.sessions?.value.sessions ?? []).filter(({ worktree }) => tops.includes(worktree))
  for (const each of worktrees) refuseRemoving(each)
  /** Folders of their repositories. */
  const origins = new Map<string, string>()
  // Another folder can have come to this path.
  for (const each of worktrees) if ((await linksOf(each)) !== undefined) origins.set(each.worktree, each.folder)
  const recordsOfOpen = tops.map((top) => recordOpenFolder(top))
  const trust = createWorkspaceTrust({
    store: deps.folderTrust,
    places: multiRoot && !multiRoot.untitled ? [...tops, multiRoot.file] : tops,
    always: deps.alwaysTrusted || tour,
    headless: !watch,
    origin: origins.get(workspace.root),
  })
  const allBuffers = createBuffers()
  const backups = watch ? await restoreUnsaved(workspace, allBuffers, userData, emit) : undefined
  const buffers = buffersInFolder(allBuffers)
  const encodings = createFileEncodings({
    ofSettings: () => deps.fileSettings().files.encoding,
    ofFolder: async (path) => (await readEditorConfig(workspace, path)).charset,
  })
  const documents = createDocuments(workspace, editor, { buffers, encodings })
  const outside = createOutsideFiles([userData, ...otherDataFolders], () => deps.fileSettings().files.encoding)
  const files = createFileOperations(workspace)
  const uploads = createUploads(workspace, files)
  const deleted = createDeletedEntries({ workspace, userData })
  const secret: PlaceRules['secret'] = (path) => places().secret(path)
  const isSecret = (path: string) => secret(path) !== undefined
  const dirtyBuffers = () => buffers.list().flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
  const search = createSearch(workspace, { dirtyBuffers, encodingOf: createEncodingLookup(workspace, encodings) })
  const fileNames = createFileNameSearch(workspace)
  const programs = createFolderPrograms({
    userData,
    root: workspace.root,
    isTrusted: trust.isTrusted,
    candidates: async () => (await Promise.all([languages.folderPrograms(), formatter.folderPrograms()])).flat(),
    onPending: (pending) => emit('language.programs', pending),
    onRefused: (program) =>
      emit('notice', {
        level: 'warning',
        message: `${program} is new or has changed since you trusted this folder, so it was not started. Allow it in Settings, under Language servers.`,
      }),
    onNotice: (message) => emit('notice', { level: 'warning', message }),
  })
  const { jobs, formatter, dispose: disposeCommands } = createCommandServices({ workspace, trust, programs }, deps)
  const { code, languages } = createCodeServices(
    { workspace, buffers, documents, search, jobs, programs, trust, dirtyBuffers, isSecret },
    deps,
  )
  const variables = createVariableValues(workspace, deps)
  const debug = createDebugServices({ workspace, jobs, trust, isSecret, variables }, deps)
  const notebooks = createNotebookKernels({
    workspace,
    searchPath: searchPathOf(process.env),
    startProgram: jobs.startProgram,
    sandbox: () => jobs.plan('python3', 'sandbox'),
    isTrusted: trust.isTrusted,
    onChanged: (kernels) => emit('notebook.changed', { kernels }),
    onOutput: (progress) => emit('notebook.output', progress),
    onNotice: (message) => emit('notice', { level: 'warning', message }),
  })
  const preview = createPreview({
    findBrowser: findChromium,
    pageViews: deps.pageViews,
    isSecret,
    ports: () => folderPorts([...tops, workspace.root]),
    publicAddress: async (url, signal) =>
      (await checkedAddresses(url, { exemptOrigins: () => [] }, signal))[0]?.address ?? url.hostname,
  })
  const pageView = createPageView({
    preview,
    ports: () => folderPorts([...tops, workspace.root]),
    isTrusted: trust.isTrusted,
    workspace,
    exists: async (path) =>
      (await workspace.resolve(path, { missing: 'allow' }).catch(() => undefined))?.type === 'file',
    files: {
      find: (query, signal) => fileNames.find(query, 100, signal),
      resolve: (path) => workspace.resolve(path),
      isGuarded: (path) => isSecret(path) || places().protection(path) !== undefined,
    },
    checkWeb: () => web.check(),
    onState: (state) => emit('preview.changed', state),
  })
  const checkChange = (path: string): void => {
    if (places().protection(path) === undefined && places().secret(path) === undefined) return
    throw new ToolError(
      'refused',
      `${path} is a protected file, which this tool does not change.`,
      'Edit it with a call that names it.',
    )
  }
  const restoring = recordedRestores(() => localHistory, documents)
  const journal = createEditJournal(db, workspace.root, journalFiles(workspace, restoring, files))
  const { target, checkpoints, review, windowDocuments, windowFiles, closeReview } = createReviewServices(
    {
      workspace,
      buffers,
      documents,
      restoring,
      encodings,
      files,
      trust,
      unsavedTabs: dirtyBuffers,
      onRestored(path) {
        code.filesChanged([path], true)
        localHistory.changedOnDisk([path])
      },
      onCallChanges: (changes, turn) => localHistory.agentChanged(changes, turn),
    },
    deps,
  )
  const localHistory = createLocalHistory({
    db,
    workspace: workspace.root,
    checkpoints,
    settings: deps.localHistorySettings,
    isSecret,
    read: createContentReader(workspace),
    onChanged: (paths) => emit('localHistory.changed', { paths }),
  })
  const recorded = recordedChanges(localHistory, { documents: windowDocuments, files: windowFiles, deleted })

  const choicesFolder = origins.get(workspace.root) ?? workspace.root
  const plugins = async () => (await deps.plugins?.active(choicesFolder)) ?? []
  // An instruction file can import others, which must not be secret.
  const instructionDeps: InstructionDeps = {
    ...withoutSecrets({ workspace, documents, files, search, code }, secret, new Set()),
    userData,
    folders: workspace.folders,
    trusted: trust.isTrusted,
    plugins,
  }
  const mcp = createMcp({
    ...mcpDeps,
    workspace: workspace.root,
    folders: workspace.folders,
    readText: (path) => readConfiguration(workspace, path),
    hashFile: createWorkspaceHash(workspace),
    processes: jobs.processTracking,
    folderTrusted: trust.isTrusted,
    plugins: async () => pluginServers(await plugins()),
  })
  const hooks = createHooks({
    workspace,
    trustedAs: (path) => origins.get(path) ?? path,
    trust: mcpDeps.trust,
    folderTrusted: trust.isTrusted,
    readText: (path) => readConfiguration(workspace, path),
    hashFile: createWorkspaceHash(workspace),
    plugins: async () => (await deps.plugins?.hooks(choicesFolder)) ?? [],
    start: jobs.startConfined,
    findProgram: (name) => findProgramByName(name, searchPathOf(process.env)),
    record: (run) => deps.recordHook(run, workspace.root),
    onNotice: (message) => emit('notice', { level: 'warning', message }),
  })
  const readAgents = async () => pluginAgents(await plugins())
  let [hasSkills, agents] = await Promise.all([hasSkillFolders(instructionDeps), readAgents(), mcp.refresh()])

  // No message waits for a server, so they start before the first one. Without a window, they start on demand.
  if (watch) mcp.start()

  const info = async (): Promise<WorkspaceInfo> => ({ ...(await folderInfo(workspace, tour)), ...trust.info() })

  const sourceControl = createReviewedSourceControl(
    {
      workspace,
      isTrusted: trust.isTrustedFolder,
      async isWithoutHooks(commit) {
        await deps.sessions?.reload()
        return deps.sessions?.value.sessions.some((session) => session.withoutHooks === commit) === true
      },
      isSecret,
      files: { documents: restoring, target, checkpoints, decode: encodings.decode, encode: encodeText },
      credentials: deps.gitCredentials,
    },
    review,
    deps,
  )
  const stopWatching = watch
    ? watchFolder({
        workspace,
        fileNames,
        code,
        languages,
        mcp,
        review,
        localHistory,
        repositories: sourceControl.repositories,
        emit,
        info,
      })
    : undefined
  const stopWatchingOutside = watch
    ? watchOutsideFiles(allBuffers, (paths) =>
        emit('files.changed', {
          changes: paths.map((path) => ({ path, change: 'changed', directory: false })),
          overflow: false,
        }),
      )
    : undefined

  return {
    workspace,
    buffers: allBuffers,
    async keepUnsaved(unsaved) {
      for (const state of unsaved) buffers.sync({ ...state, open: true })
      await backups?.flush()
    },
    documents: recorded.documents,
    outside,
    encodings,
    files: {
      ...recorded.files,
      async move(from, to, ...rest) {
        const outcome = await recorded.files.move(from, to, ...rest)
        await languages.didMove([{ from, to }])
        return outcome
      },
    },
    deleted: recorded.deleted,
    localHistory,
    fileRules: createFileRules(deps.fileSettings, {
      own: (folder) => readFolderSettings(workspace, trust, folder),
      vsCode: (folder) => readEditorSettings(workspace, trust, folder),
      workspaceFile: () => readWorkspaceSettings(workspace, trust),
      folders: workspace.folders,
    }),
    uploads,
    search,
    code,
    languages,
    programs,
    fileNames,
    jobs,
    formatter,
    debug,
    notebooks,
    pageView,
    variables,
    snippets: () => readFolderSnippets(workspace, trust),
    folderSettings: () => readFolderSettings(workspace, trust),
    vsCodeSettings: () => readVsCodeEditorSettings(workspace, trust),
    changeFolderSettings: (change) => changeFolderSettings({ workspace, trust, documents: windowDocuments }, change),
    journal,
    checkpoints,
    review,
    target,
    mcp,
    hooks,
    sourceControl,
    info,
    get hasSkills() {
      return hasSkills
    },
    get agents() {
      return agents
    },
    async pluginsChanged() {
      ;[hasSkills, agents] = await Promise.all([hasSkillFolders(instructionDeps), readAgents(), mcp.refresh()])
    },
    trust,
    choicesFolder,
    async trustChanged() {
      hasSkills = await hasSkillFolders(instructionDeps)
      await Promise.all([mcp.refresh(), languages.refresh(), pageView.trustChanged()])
      sourceControl.repositories.trustChanged()
      const now = await info()
      emit('workspace.changed', now)
      return now
    },
    instructionDeps,
    instructions: createInstructions(instructionDeps),
    tools: {
      workspace,
      ...indexedWrites(documents, files, code, languages),
      search,
      code,
      languages: { ...languages, checkChange },
      jobs: worktrees.length > 0 ? withoutStash(jobs) : jobs,
      preview,
      debug,
      notebooks,
      git: createGit(workspace, {
        isSecret,
        async worktreePlaces(workTree, common) {
          const isOwn = worktrees.some((each) => each.worktree === workTree && each.common === common)
          return isOwn || trust.isTrustedFolder(workTree)
            ? { resolve: await resolveAlsoIn(workspace, common) }
            : undefined
        },
      }),
      web,
      runIsolated,
      editor,
      journal,
      checkpoints,
      skills: { load: (name, signal) => loadSkill(instructionDeps, name, signal) },
    },
    async dispose() {
      await closeReview()
      await localHistory.close()
      await Promise.all([
        stopWatching?.(),
        stopWatchingOutside?.(),
        sourceControl.close(),
        checkpoints.close(),
        Promise.all([debug.sessions.dispose(), notebooks.dispose()]).then(disposeCommands),
        pageView.dispose().then(() => preview.dispose()),
        code.dispose(),
        languages.dispose(),
        programs.close(),
        mcp.dispose(),
        backups?.close(),
        deleted.close(),
        uploads.close(),
      ])
      for (const recordClosed of recordsOfOpen) recordClosed()
      if (multiRoot) await releaseLinks(multiRoot.root)
    },
  }
}

async function folderInfo({ root, multiRoot }: Workspace, tour: boolean): Promise<WorkspaceInfo> {
  if (multiRoot) {
    const { folders, file, untitled, missing } = multiRoot
    const name = untitled ? 'Untitled' : basename(file, workspaceFileExtension)
    return {
      root,
      name: `${name} (workspace)`,
      multiRoot: { folders: [...folders], file: untitled ? null : file, missing },
    }
  }
  return { root, name: basename(root) || root, branch: await readBranch(root), ...(tour ? { tour } : {}) }
}

/** Restores unsaved text from an earlier process into the buffers, and backs up changes from now on. */
async function restoreUnsaved(
  { root }: Workspace,
  buffers: Buffers,
  userData: string,
  emit: Emit,
): Promise<UnsavedBackups> {
  const backups = await openUnsavedBackups({
    userData,
    root,
    state: buffers.get,
    onNotice: (message) => emit('notice', { level: 'error', message }),
  })
  for (const state of backups.restored) buffers.sync({ ...state, open: true })
  buffers.onChanged(backups.changed)
  return backups
}
