import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { noActiveEditor, type EditorRequestName, type EditorRequests } from '../../../shared/editor/editorRequests.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { ToolProgress } from '../../../shared/tools/tool.ts'
import { createIsolatedJobs } from '../../base/isolatedJob.ts'
import type { EditJournal, JournalChange } from '../../history/editJournal.ts'
import { createDocuments } from '../../workspace/documents.ts'
import type { EditorPort } from '../../workspace/editorPort.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import type { Tool, ToolContext, ToolOutput } from '../common/toolDefinition.ts'

// Helpers for tests of tools: real folders and services, and a fake window.

/** Creates a temporary folder with files. `root` is its real path. */
export async function temporaryFolder(
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<{ root: string; remove(): Promise<void> }> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-test-')))
  await writeTree(root, files)
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}

/** Writes files by relative path and creates their folders. A path that ends with `/` is an empty folder. */
export async function writeTree(root: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const absolute = path.join(root, name)
    await mkdir(name.endsWith('/') ? absolute : path.dirname(absolute), { recursive: true })
    if (!name.endsWith('/')) await writeFile(absolute, content)
  }
}

type Answers = {
  [N in EditorRequestName]?: (
    params: EditorRequests[N]['params'],
  ) => EditorRequests[N]['result'] | Promise<EditorRequests[N]['result']>
}

/** A window with tabs that handles requests for the text of a tab like the real one. */
export interface FakeEditor extends EditorPort {
  attached: boolean
  /** Open tabs by relative path. */
  readonly tabs: Map<string, { text: string; dirty: boolean; stamp?: string }>
  /** All requests in order. */
  readonly asked: { name: EditorRequestName; params: unknown }[]
}

/** Creates a fake window without tabs. @param answers additional request handlers, or replacements */
export function fakeEditor(answers: Answers = {}): FakeEditor {
  const tabs: FakeEditor['tabs'] = new Map()
  const asked: FakeEditor['asked'] = []
  const own: Answers = {
    'editor.state': () => ({
      active_file: null,
      open_files: [...tabs.keys()],
      active_tab_index: null,
      cursor_line: null,
      cursor_column: null,
      selection_start_line: null,
      selection_end_line: null,
    }),
    // Like the state above, without an active file.
    'editor.selection': () => {
      throw noActiveEditor()
    },
    'editor.buffer': ({ path: name, unsavedOnly }) => {
      const tab = tabs.get(name)
      return tab && (tab.dirty || !unsavedOnly) ? { text: tab.text, dirty: tab.dirty } : null
    },
    'editor.applyText': ({ path: name, expected, text, saved, stamp }) => {
      const tab = tabs.get(name)
      if (!tab) return { applied: false }
      if (tab.text !== expected) throw new ToolError('conflict', 'The tab has a different text.', 'Read it again.')
      tabs.set(name, { text, dirty: saved ? false : tab.dirty, stamp: stamp ?? tab.stamp })
      return { applied: true }
    },
    ...answers,
  }
  return {
    attached: true,
    tabs,
    asked,
    async ask(name, params, signal) {
      signal?.throwIfAborted()
      if (!this.attached)
        throw new ToolError('no_window', 'No window shows this workspace.', 'Ask the user to open it.')
      asked.push({ name, params })
      const answer = own[name]
      if (!answer) throw new Error(`This test's window does not answer ${name}.`)
      return answer(params)
    },
  }
}

/** A journal that collects changes and cannot undo them. */
export interface RecordingJournal extends EditJournal {
  readonly recorded: { callId: string; changes: JournalChange[] }[]
}

export function recordingJournal(): RecordingJournal {
  const recorded: RecordingJournal['recorded'] = []
  return {
    recorded,
    record: (callId, changes) => `edit-${recorded.push({ callId, changes })}`,
    undo: () => Promise.reject(new Error('The recording journal of tests cannot undo.')),
  }
}

export interface TestContext extends ToolContext {
  /** Progress that the tool reported. */
  progressed: ToolProgress[]
}

/** Language servers of a folder without any. */
const noLanguageServers: ToolContext['languages'] = {
  state: () => ({ servers: [], problems: [], programs: [] }),
  diagnose: async () => undefined,
  rename: async () => undefined,
  codeActions: async () => null,
  runCodeAction: async () => [],
  editErrors: { known: () => undefined, introduced: async () => [] },
  checkChange: () => undefined,
}

/**
 * Creates a tool context for a folder, with real documents and file operations. Without an `editor`, no window is
 * attached. Other services fail when a tool uses them, unless they are in `overrides`.
 */
export async function testContext(root: string, overrides: Partial<ToolContext> = {}): Promise<TestContext> {
  const workspace = overrides.workspace ?? (await openWorkspace(root))
  const editor = overrides.editor ?? Object.assign(fakeEditor(), { attached: false })
  const progressed: ToolProgress[] = []
  return {
    callId: 'call-1',
    search: absent('search'),
    code: absent('code'),
    jobs: absent('jobs'),
    languages: noLanguageServers,
    debug: absent('debug'),
    notebooks: absent('notebooks'),
    preview: absent('preview'),
    git: absent('git'),
    web: absent('web'),
    runIsolated: createIsolatedJobs(),
    journal: recordingJournal(),
    checkpoints: absent('checkpoints'),
    skills: absent('skills'),
    files: createFileOperations(workspace),
    signal: new AbortController().signal,
    progress: (progress) => void progressed.push(progress),
    ...overrides,
    workspace,
    editor,
    documents: overrides.documents ?? createDocuments(workspace, editor),
    progressed,
  }
}

/** Runs a tool like the executor after approval: renames aliases and parses the arguments. */
export async function runTool(tool: Tool, given: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
  const renamed = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [tool.parameterAliases?.[name] ?? name, value]),
  )
  return tool.run(tool.schema.parse(renamed), context)
}

function absent(service: string): never {
  // `never` is assignable to each service type; any access throws.
  return new Proxy(
    {},
    {
      get: (_, name) => {
        throw new Error(`This test has no ${service} service, but the tool used ${String(name)}.`)
      },
    },
  ) as never
}
