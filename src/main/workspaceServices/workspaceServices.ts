import { homedir, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { WorkspaceInfo } from '../../shared/protocol.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Snippet } from '../../shared/snippets.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { Emit } from '../agent/transcript.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import { createLanguageServers, type LanguageServers } from '../lsp/languageServers.ts'
import { createCodeIndex, type CodeIndex } from '../code/index/codeIndex.ts'
import type { CodeIndexOptions } from '../code/index/codeIndexOptions.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import { createJobs } from '../command/jobs.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { CommandLimits } from '../command/sandbox/cgroupLimits.ts'
import { createSandbox } from '../command/sandbox/sandbox.ts'
import type { SandboxProgram } from '../command/sandbox/sandboxProbe.ts'
import { findProgram } from '../command/shellProgram.ts'
import { createProjectFormatter, type ProjectFormatter } from '../formatting/projectFormatter.ts'
import { createGit } from '../git/git.ts'
import type { Credentials } from '../git/view/credentials.ts'
import { createSourceControl, type SourceControl } from '../git/view/sourceControl.ts'
import { createCheckpoints, type Checkpoints } from '../history/checkpoints/checkpoints.ts'
import { createEditJournal, type EditJournal, type JournalFiles } from '../history/editJournal.ts'
import { createReviewRows } from '../history/reviewRows.ts'
import { createReview } from '../review/review.ts'
import type { Review } from '../review/reviewTypes.ts'
import { createReviewStore } from '../review/reviewStore.ts'
import { createFileNameSearch, type FileNameSearch } from '../search/fileNameSearch.ts'
import { createInstructions, type Instructions } from '../instructions/instructions.ts'
import { hasSkillFolders, loadSkill } from '../instructions/skills.ts'
import type { InstructionDeps } from '../instructions/instructionFiles.ts'
import { createSearch, type Search } from '../search/search.ts'
import { createWorkspaceHash } from './hashWorkspaceFile.ts'
import { indexedWrites } from './indexedWrites.ts'
import { createMcp, type Mcp, type McpDeps } from '../mcp/mcpServers.ts'
import type { ToolServices } from '../tools/executor.ts'
import { withoutSecrets } from '../tools/secretGuard.ts'
import type { Web } from '../web/webAccess.ts'
import { readBranch } from '../workspace/branch.ts'
import { createBuffers, type Buffers } from '../workspace/buffers.ts'
import { createDocuments, type WindowDocuments } from '../workspace/documents.ts'
import type { EditorPort } from '../workspace/editorPort.ts'
import { createFileOperations, type FileOperations } from '../workspace/fileOperations.ts'
import { createRestoreTarget } from '../workspace/restoreTarget.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { isTemporaryName } from '../workspace/textFile.ts'
import { decodeText, encodeText } from '../workspace/textFormat.ts'
import { openUnsavedBackups } from '../workspace/unsavedBackups.ts'
import type { FolderTrust } from '../settings/folderTrust.ts'
import { readSnippetFolder } from '../settings/snippetFiles.ts'
import { openWorkspace, type Workspace } from '../workspace/containment.ts'
import { createReviewedRepositories } from './reviewedRepositories.ts'
import { reviewTarget, textCodec } from './reviewFiles.ts'
import { createScanThread } from './scanThread.ts'
import { watchFolder } from './watchFolder.ts'
import { createWorkspaceTrust, type WorkspaceTrust } from './workspaceTrust.ts'

/** The services of an open folder. */
export interface WorkspaceSession {
  workspace: Workspace
  buffers: Buffers
  documents: WindowDocuments
  files: FileOperations
  search: Search
  code: CodeIndex
  languages: LanguageServers
  fileNames: FileNameSearch
  jobs: Jobs
  formatter: ProjectFormatter
  /** Reads `.tizona/settings.json`; null if it is missing or the folder is not trusted. */
  folderSettings(): Promise<string | null>
  /** Reads `.vscode/*.code-snippets`; empty if the folder is not trusted. */
  snippets(): Promise<Snippet[]>
  journal: EditJournal
  checkpoints: Checkpoints
  review: Review
  instructions: Instructions
  /** Dependencies of prompt commands and skills. */
  instructionDeps: InstructionDeps
  /**
   * Whether there were skills when the folder was opened or trusted. Later changes are ignored, so that the list of
   * tools stays the same.
   */
  hasSkills: boolean
  trust: WorkspaceTrust
  /** Applies a changed trust decision: starts or stops the folder's servers and reads its skills. */
  trustChanged(): Promise<WorkspaceInfo>
  mcp: Mcp
  /** The git view. Tools use `tools.git`. */
  sourceControl: SourceControl
  tools: ToolServices
  info(): Promise<WorkspaceInfo>
  dispose(): Promise<void>
}

export interface SessionDeps {
  db: DatabaseSync
  editor: EditorPort
  emit: Emit
  /** The user's data folder. */
  userData: string
  /** Further data folders of Tizona, which no tool may access. */
  otherDataFolders?: readonly string[]
  /** `resources/` of the installation. */
  resources: string
  /** Starts child processes. Default: `child_process.fork`. */
  fork?: ForkProcess
  web: Web
  languageSettings(): Settings['languageServers']
  /** Settings of commands, and the check of the machine's sandbox. */
  commands: { settings(): Settings['commands']; probe(): Promise<SandboxProgram> }
  /** Returns the protected and secret places. */
  places(): PlaceRules
  /** Dependencies of MCP servers that are the same for all folders. */
  mcp: Omit<McpDeps, 'workspace' | 'readText' | 'hashFile' | 'processes' | 'folderTrusted'>
  /** Questions of git and ssh, which the window answers. Absent: there is nobody to answer. */
  gitCredentials?: Credentials
  /** Whether the folder is the tour's temporary copy. */
  tour: boolean
  /** The user's decisions about folders. */
  folderTrust: FolderTrust
  /** Whether the folder is trusted in this process. */
  alwaysTrusted: boolean
  /** Whether to watch the folder for changes on disk. Only a window needs it. */
  watch: boolean
}

/** Delay between opening a folder and checking the sandbox, in milliseconds. */
const sandboxCheckDelay = 1000

/** Opens a folder and creates its services. @throws ToolError not_found, not_a_directory, permission_denied */
// oxlint-disable-next-line eslint/max-lines-per-function -- A split would hide which service gets which.
export async function openSession(
  folder: string,
  {
    db,
    editor,
    emit,
    web,
    commands,
    places,
    mcp: mcpDeps,
    userData,
    otherDataFolders = [],
    resources,
    fork,
    tour,
    watch,
    folderTrust,
    alwaysTrusted,
    gitCredentials,
    languageSettings,
  }: SessionDeps,
): Promise<WorkspaceSession> {
  const workspace = await openWorkspace(folder, { dataFolders: [userData, ...otherDataFolders], insideData: tour })
  const trust = createWorkspaceTrust({
    store: folderTrust,
    root: workspace.root,
    always: alwaysTrusted || tour,
    headless: !watch,
  })
  const buffers = createBuffers()
  const backups = watch ? await restoreUnsaved(workspace, buffers, userData, emit) : undefined
  const documents = createDocuments(workspace, editor, { buffers })
  const files = createFileOperations(workspace)
  const secret: PlaceRules['secret'] = (path) => places().secret(path)
  const isSecret = (path: string) => secret(path) !== undefined
  const dirtyBuffers = () => buffers.list().flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
  const search = createSearch(workspace, { dirtyBuffers })
  const code = createCodeIndex({
    workspace,
    documents,
    ...publicFiles(search, dirtyBuffers, isSecret),
    userData,
    resources,
    fork,
    watched: watch,
    onNotice: (message) => emit('notice', { level: 'warning', message }),
  })
  const fileNames = createFileNameSearch(workspace)
  const sandbox = createSandbox({
    probe: commands.probe,
    workspaceRoot: workspace.root,
    home: homedir(),
    userData,
    hidden: otherDataFolders,
    enabled: () => commands.settings().sandbox,
    scanner: createScanThread(workspace.root, () => places().added),
    limits: () => commandLimits(commands.settings()),
    onChanged: (state) => emit('sandbox.changed', { state }),
  })
  // Delayed, so that it does not slow down opening the folder.
  const sandboxCheck = watch ? setTimeout(() => void sandbox.check(), sandboxCheckDelay) : undefined
  const jobs = createJobs({
    workspaceRoot: workspace.root,
    records: join(userData, 'running-commands'),
    onProblem: (error) =>
      emit('notice', {
        level: 'warning',
        message: `The record of running commands failed: ${toFailure(error).message}`,
      }),
    onChanged: (job) => emit('job.changed', job),
    onOutput: (id, data) => emit('job.output', { id, data }),
    onForgotten: (id) => emit('job.forgotten', { id }),
    limits: () => commandLimits(commands.settings()),
    passedVariables: () => variableNames(commands.settings().environment),
    sandbox,
  })
  const formatter = createProjectFormatter({
    workspace,
    isTrusted: trust.isTrusted,
    filter: jobs.filter,
    findOnPath: (program) => findProgram(program, workspace.root, commandEnvironment(process.env)),
  })
  const languages = createLanguageServers({
    workspace,
    buffers,
    readText: async (path, signal) => (await documents.open(path, signal)).text,
    settings: languageSettings,
    isTrusted: trust.isTrusted,
    userData,
    version: mcpDeps.version,
    processes: jobs.processTracking,
    fork,
    download: (url, maxBytes, signal) => web.download(url, { maxBytes, origin: new URL(url).origin }, signal),
    onServers: (servers) => emit('language.servers', servers),
    onProblems: (problems) => emit('language.problems', problems),
    onNotice: (message) => emit('notice', { level: 'warning', message }),
  })
  const checkChange = (path: string): void => {
    if (places().protection(path) === undefined && places().secret(path) === undefined) return
    throw new ToolError('refused', `${path} is a protected file, which this tool does not change.`, 'Edit it by name.')
  }
  const journal = createEditJournal(db, workspace.root, journalFiles(workspace, documents, files))
  const target = createRestoreTarget(workspace, documents, files, (path) => code.filesChanged([path], true))
  const stored = createCheckpoints({
    db,
    root: workspace.root,
    userData,
    target,
    isTransient: isTemporaryName,
    isOwnData: workspace.isOwnData,
  })

  const review = createReview({
    store: createReviewStore({
      rows: createReviewRows(db, workspace.root),
      contents: stored.contents,
      codec: textCodec,
    }),
    contents: stored.contents,
    codec: textCodec,
    target: reviewTarget(workspace, documents, files, target),
    scan: stored.scan,
    treeAt: stored.treeAt,
    changesSince: stored.changes,
    ...createReviewedRepositories(workspace, trust.isTrustedFolder),
    watched: watch,
    unsaved: (path) => buffers.get(path)?.text ?? null,
    unsavedTabs: dirtyBuffers,
    onChanged: (paths) => emit('review.changed', { paths }),
    onProblem: (message) => emit('notice', { level: 'warning', message }),
  })
  const stopReviewing = buffers.onChanged(review.touched)
  const checkpoints: Checkpoints = {
    ...stored,
    restore: (id, options, signal) => review.restoring(id, () => stored.restore(id, options, signal)),
  }
  const windowDocuments: WindowDocuments = {
    ...documents,
    async save(path, ...rest) {
      const stamp = await documents.save(path, ...rest)
      review.saved(path)
      return stamp
    },
  }

  const windowFiles: FileOperations = {
    ...files,
    async move(from, to, ...rest) {
      const outcome = await files.move(from, to, ...rest)
      review.moved(from, to)
      return outcome
    },
  }

  // An instruction file can import others, which must not be secret.
  const instructionDeps: InstructionDeps = {
    ...withoutSecrets({ workspace, documents, files, search, code }, secret, new Set()),
    userData,
    trusted: trust.isTrusted,
  }
  let hasSkills = await hasSkillFolders(instructionDeps)
  const mcp = createMcp({
    ...mcpDeps,
    workspace: workspace.root,
    readText: (path) => readConfiguration(workspace, path),
    hashFile: createWorkspaceHash(workspace),
    processes: jobs.processTracking,
    folderTrusted: trust.isTrusted,
  })
  await mcp.refresh()

  const info = async (): Promise<WorkspaceInfo> => ({ ...(await folderInfo(workspace, tour)), ...trust.info() })

  const actions = createSourceControl({
    workspace,
    isTrusted: trust.isTrustedFolder,
    isSecret,
    files: { documents, target, checkpoints, decode: decodeText, encode: encodeText },
    credentials: gitCredentials,
    onRepositories: (repositories) => emit('git.repositoriesChanged', repositories),
    onStatus(status) {
      emit('git.changed', { status })
      review.committed()
    },
    onProgress: (progress) => emit('git.progress', progress),
    onProblem: (message) => emit('notice', { level: 'warning', message }),
  })
  const sourceControl: SourceControl = {
    ...actions,
    async commit(...args) {
      const ended = review.committing()
      let hash: string | undefined
      try {
        const committed = await actions.commit(...args)
        hash = committed.hash
        return committed
      } finally {
        ended(hash)
      }
    },
  }
  const stopWatching = watch
    ? watchFolder({
        workspace,
        fileNames,
        code,
        languages,
        mcp,
        review,
        repositories: sourceControl.repositories,
        emit,
        info,
      })
    : undefined

  return {
    workspace,
    buffers,
    documents: windowDocuments,
    files: windowFiles,
    search,
    code,
    languages,
    fileNames,
    jobs,
    formatter,
    snippets: async () => {
      if (!trust.isTrusted()) return []
      const { absolute } = await workspace.resolve('.vscode', { missing: 'allow' })
      return readSnippetFolder(absolute, { onlyShared: true })
    },
    folderSettings: async () => (trust.isTrusted() ? readConfiguration(workspace, '.tizona/settings.json') : null),
    journal,
    checkpoints,
    review,
    mcp,
    sourceControl,
    info,
    get hasSkills() {
      return hasSkills
    },
    trust,
    async trustChanged() {
      hasSkills = await hasSkillFolders(instructionDeps)
      await Promise.all([mcp.refresh(), languages.refresh()])
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
      jobs,
      git: createGit(workspace, { isSecret }),
      web,
      editor,
      journal,
      checkpoints,
      skills: { load: (name, signal) => loadSkill(instructionDeps, name, signal) },
    },
    async dispose() {
      clearTimeout(sandboxCheck)
      stopReviewing()
      await review.close()
      await Promise.all([
        stopWatching?.(),
        sourceControl.close(),
        checkpoints.close(),
        jobs.dispose(),
        code.dispose(),
        languages.dispose(),
        mcp.dispose(),
        backups?.close(),
      ])
    },
  }
}

/** Restores unsaved text of an earlier process into the buffers, and backs up changes from now on. */
async function restoreUnsaved({ root }: Workspace, buffers: Buffers, userData: string, emit: Emit) {
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

async function folderInfo({ root }: Workspace, tour: boolean): Promise<WorkspaceInfo> {
  return { root, name: basename(root) || root, branch: await readBranch(root), ...(tour ? { tour } : {}) }
}

/** Reads a small configuration file of the folder. Returns null if it does not exist. */
async function readConfiguration(workspace: Workspace, path: string): Promise<string | null> {
  const { absolute, exists } = await workspace.resolve(path, { missing: 'allow' })
  return exists ? readSmallFile(absolute) : null
}

/** File access of the edit journal, which undoes edits. */
function journalFiles(workspace: Workspace, documents: WindowDocuments, files: FileOperations): JournalFiles {
  return {
    async read(path) {
      try {
        return (await documents.read(path)).text
      } catch (error) {
        if (error instanceof ToolError && error.code === 'not_found') return null
        throw error
      }
    },
    async write(path, text, mode) {
      const { exists } = await workspace.resolve(path, { missing: 'allow' })
      if (exists) await documents.edit(await documents.read(path), text)
      else await documents.write(path, text)
      if (mode !== undefined) await files.setMode(path, mode)
    },
    remove: async (path) => void (await files.delete(path)),
  }
}

function commandLimits({ maxProcesses, maxMemoryMegabytes }: Settings['commands']): CommandLimits {
  return {
    processes: maxProcesses,
    memory: maxMemoryMegabytes === null ? Math.floor(totalmem() * 0.75) : maxMemoryMegabytes * 1024 * 1024,
  }
}

/** Splits the user's list of variable names at commas and spaces. */
function variableNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '')
}

/** Returns what the code index reads: every file and unsaved text that is not secret. */
function publicFiles(
  search: Search,
  dirtyBuffers: () => { path: string; text: string }[],
  isSecret: (path: string) => boolean,
): Pick<CodeIndexOptions, 'search' | 'dirtyBuffers'> {
  return {
    search: {
      ...search,
      text: (query, call) => search.text({ ...query, leaveOut: isSecret }, call),
      async files(query, call) {
        const found = await search.files(query, call)
        return { ...found, paths: found.paths.filter((path) => !isSecret(path)) }
      },
    },
    dirtyBuffers: () => dirtyBuffers().filter(({ path }) => !isSecret(path)),
  }
}
