import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FileProblems, LanguageServerStatus } from '../../../shared/language/languageServers.ts'
import { sandboxedJobs } from '../../command/testing/sandboxedJobs.ts'
import { createFilesNamed, createPackagesNamed } from '../../search/filesNamed.ts'
import { launchServer, type Launch } from '../launchServer.ts'
import { createLanguageServers, type LanguageServersDeps } from '../languageServers.ts'
import { createBuffers } from '../../workspace/buffers.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import type { ServerDefinition } from '../serverTable.ts'
import type { FakeScript } from './fakeServer.ts'

/** Servers of a temporary folder, with what they report. */
export async function openLanguageFolder(files: Record<string, string>, options: Partial<LanguageServersDeps> = {}) {
  const folder = await temporaryFolder(files)
  const workspace = await openWorkspace(folder.root)
  const buffers = createBuffers()
  const notices: string[] = []
  const problems = new Map<string, FileProblems>()
  let problemEvents = 0
  let statuses: LanguageServerStatus[] = []
  const userData = path.join(folder.root, '.data')
  const jobs = await sandboxedJobs(workspace.root, { userData })
  const languages = createLanguageServers({
    workspace,
    buffers,
    readText: (file) => readFile(path.join(workspace.root, file), 'utf8'),
    settings: () => ({
      enabled: true,
      maxMemoryMegabytes: 2048,
      registry: '',
      outsideSandbox: '',
      updateImportsOnFileMove: 'prompt',
    }),
    isTrusted: () => true,
    userData,
    version: '0',
    jobs,
    programs: { isApproved: async () => true, pending: () => [] },
    filesNamed: createFilesNamed(workspace),
    packagesNamed: createPackagesNamed(workspace),
    download: () => Promise.reject(new Error('Nothing is downloaded here.')),
    onServers: (now) => (statuses = now),
    onProblems(found) {
      problemEvents += 1
      problems.set(found.path, found)
    },
    onNotice: (message) => void notices.push(message),
    ...options,
  })
  let version = 0
  return {
    root: workspace.root,
    jobs,
    /** What a tool gets of them. */
    tools: { ...languages, checkChange: () => undefined },
    languages,
    buffers,
    notices,
    problems,
    problemEvents: () => problemEvents,
    statuses: () => statuses,
    /** Shows a file in a tab. `text`: unsaved changes. */
    open(file: string, text: string | null = null) {
      version += 1
      buffers.sync({ path: file, open: true, dirty: text !== null, text, version })
    },
    closeTab: (file: string) => buffers.sync({ path: file, open: false, dirty: false, text: null }),
    write: (file: string, text: string) => writeFile(path.join(workspace.root, file), text),
    async close() {
      await languages.dispose()
      await jobs.dispose()
      await folder.remove()
    },
  }
}

export type LanguageFolder = Awaited<ReturnType<typeof openLanguageFolder>>

const fakeDefinition: ServerDefinition = {
  id: 'fake',
  title: 'Fake server',
  languages: ['Text'],
  serves: ['typescript'],
  programs: [{ kind: 'path', command: 'node' }],
  args: [],
}

export const fakeFile = path.join(import.meta.dirname, 'fakeServer.ts')

/** Servers of a folder whose only server is the scripted one. Delays are short. */
export async function openWithFake(
  files: Record<string, string>,
  script: FakeScript,
  options: Partial<LanguageServersDeps> = {},
) {
  const launches: number[] = []
  const launch: Launch = async (given) => {
    const server = await launchServer({
      ...given,
      // The sandbox takes time to start and is tested in languageSandbox.test.ts.
      mode: 'none',
      program: {
        kind: 'native',
        file: process.execPath,
        folder: import.meta.dirname,
        origin: 'machine',
        description: 'Fake.',
      },
      args: [fakeFile, JSON.stringify(script)],
    })
    launches.push(server.pid ?? 0)
    return server
  }
  const folder = await openLanguageFolder(files, {
    table: [fakeDefinition],
    launch,
    times: { restarts: [1, 1, 1], shutdown: 100, symbols: 10_000, ...options.times },
    ...Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'times')),
  })
  return { ...folder, launches }
}
