import { createCodeIndex, type CodeIndex } from '../code/codeIndex.ts'
import type { CodeIndexOptions } from '../code/codeIndexOptions.ts'
import { publicFiles } from '../code/indexedFiles.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { createLanguageServers, type LanguageServers } from '../lsp/languageServers.ts'
import { createFilesNamed, createPackagesNamed } from '../search/filesNamed.ts'
import type { Search } from '../search/search.ts'
import type { FolderPrograms } from '../settings/folderPrograms.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { SessionDeps } from './workspaceSession.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

interface CodeServicesDeps {
  workspace: Workspace
  buffers: Buffers
  documents: WindowDocuments
  search: Search
  jobs: Jobs
  programs: FolderPrograms
  trust: WorkspaceTrust
  dirtyBuffers: CodeIndexOptions['dirtyBuffers']
  isSecret(path: string): boolean
}

/** Creates the code index and the language servers. */
export function createCodeServices(
  { workspace, buffers, documents, search, jobs, programs, trust, dirtyBuffers, isSecret }: CodeServicesDeps,
  {
    userData,
    resources,
    fork,
    watch,
    web,
    emit,
    languageSettings,
    mcp: { version },
  }: Pick<SessionDeps, 'userData' | 'resources' | 'fork' | 'watch' | 'web' | 'emit' | 'languageSettings' | 'mcp'>,
): { code: CodeIndex; languages: LanguageServers } {
  const onNotice = (message: string) => emit('notice', { level: 'warning', message })
  const code = createCodeIndex({
    workspace,
    documents,
    ...publicFiles(search, dirtyBuffers, isSecret),
    userData,
    resources,
    fork,
    watched: watch,
    onNotice,
  })
  const languages = createLanguageServers({
    workspace,
    buffers,
    readText: async (path, signal) => (await documents.open(path, { signal })).text,
    settings: languageSettings,
    isTrusted: trust.isTrusted,
    userData,
    version,
    jobs,
    programs,
    filesNamed: createFilesNamed(workspace),
    packagesNamed: createPackagesNamed(workspace),
    fork,
    download: (url, maxBytes, signal) => web.download(url, { maxBytes, origin: new URL(url).origin }, signal),
    onServers: (servers) => emit('language.servers', servers),
    onProblems: (problems) => emit('language.problems', problems),
    onNotice,
  })
  return { code, languages }
}
