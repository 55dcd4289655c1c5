import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mcpSettingsSchema } from '../../shared/tools/mcp.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { ToolResult } from '../../shared/tools/tool.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { createGate } from '../approval/gate.ts'
import { testExaminer } from '../approval/testing/testExaminer.ts'
import { createIsolatedJobs } from '../base/isolatedJob.ts'
import type { SandboxProgram } from '../command/sandbox/sandboxProbe.ts'
import { openDatabase } from '../history/database.ts'
import { createFolderTrust } from '../settings/folderTrust.ts'
import { createTrustStore } from '../settings/trustStore.ts'
import { bladeToolset } from '../tools/blade/bladeToolset.ts'
import { createExecutor } from '../tools/executor.ts'
import type { Executor } from '../tools/executorTypes.ts'
import { createToolRegistry } from '../tools/toolRegistry.ts'
import { fakeEditor, temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { browserTools } from '../tools/tizona/browser/browserTools.ts'
import { notebookTools } from '../tools/tizona/notebook/notebookTools.ts'
import { debugTools, tizonaTools } from '../tools/tizona/tizonaTools.ts'
import type { RunSubAgent, Tool, Toolset } from '../tools/common/toolDefinition.ts'
import { startSite, testWeb, type TestServer } from '../web/testing/webServer.ts'
import { openSession } from '../workspaceServices/openSession.ts'
import type { SessionDeps, WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { exampleWorkspace } from './exampleWorkspace.ts'
import { inProcessIndex } from './inProcessIndex.ts'

/** Job id in examples. It is replaced by the id of a command that runs. */
const exampleJob = 'job-1a2b3c'
const exampleOrigins = ['https://api.example.com', 'https://example.com']
const exampleRoot = '/home/ada/harbour'

const { commands: commandSettings, languageServers } = settingsSchema.parse({ commands: { sandbox: false } })
const noSandbox: SandboxProgram = { state: { kind: 'unavailable', reason: 'The examples need none.', hint: '' } }

/** Skill files that only the example of load_skill gets, because they would appear in all listings of the folder. */
const exampleSkill = {
  '.tizona/skills/release-notes/SKILL.md':
    '---\nname: release-notes\ndescription: How release notes are written here.\n---\n\nOne line a change, in words of those who use it.\n',
}

/** Tools that use the symbol index, which is built in the background. */
const indexed = /^(symbol_|rename_symbol|get_project_index_|batch$|code|smart_)/

/** Tools whose results differ in each run. */
const nondeterministic = new Set(['datetime'])

/**
 * Runs all examples and returns their results by example, except results that differ in each run.
 * @throws Error if an example fails
 */
export async function exampleOutputs(toolsets: readonly Toolset[]): Promise<ReadonlyMap<object, string>> {
  const outputs = new Map<object, string>()
  const groups = [...toolsets, { ...bladeToolset, tools: tizonaTools }]
  await Promise.all(
    groups.map(async (toolset) => {
      for (const tool of toolset.tools) {
        // Not every machine has a debugger, a browser or Jupyter. The tests of these tools run them.
        const isRun = ![debugTools, browserTools, notebookTools].some((tools) => tools.includes(tool))
        for (const example of isRun ? (tool.examples ?? []) : []) {
          const result = await runExample(toolset, tool, example)
          checkResult(tool.name, result)
          const { text } = result
          if (!nondeterministic.has(tool.name)) outputs.set(example, text)
        }
      }
    }),
  )
  return outputs
}

/** @throws Error if an example failed, or returned nothing, or text instead of the JSON that its view announces */
function checkResult(name: string, { ok, text, view }: ToolResult): void {
  if (!ok || text.trim() === '') throw new Error(`An example of ${name} fails: ${text}`)
  if (view.kind === 'json') JSON.parse(text)
}

/**
 * Runs one example as a call of a model, in a fresh copy of the example folder with all real services. The window is a
 * fake; the web is a local server that answers for example.com.
 * @returns the result, with variable parts (job ids, addresses, durations, hashes) replaced
 */
async function runExample(toolset: Toolset, tool: Tool, example: Record<string, unknown>): Promise<ToolResult> {
  const site = await startSite(answerRequest)
  const data = await temporaryFolder()
  const folder = await exampleWorkspace(tool.name.startsWith('git_'))
  if (tool.name === 'load_skill') await writeTree(folder.root, exampleSkill)
  const { db } = await openDatabase(data.root)
  const session = await openSession(folder.root, {
    db,
    fork: inProcessIndex,
    userData: data.root,
    resources: fileURLToPath(new URL('../../../resources', import.meta.url)),
    editor: exampleEditor(),
    web: testWeb({ search: 'searxng', searxngUrl: site.origin }),
    runIsolated: createIsolatedJobs(),
    // The examples are the same on machines without a sandbox.
    commands: { settings: () => commandSettings, probe: async () => noSandbox },
    fileSettings: () => settingsSchema.parse({}),
    localHistorySettings: () => settingsSchema.parse({}).localHistory,
    debugSettings: () => ({ jsDebugPath: '' }),
    languageSettings: () => languageServers,
    mcp: await noServers(data.root),
    emit: () => undefined,
    places: () => shippedPlaceRules,
    tour: false,
    folderTrust: await createFolderTrust(data.root, () => undefined),
    alwaysTrusted: true,
    recordHook: () => undefined,
    // Without watching, the index checks all files before each result.
    watch: indexed.test(tool.name),
  })
  const executor = createExecutor({
    gate: createGate({ examine: testExaminer(), onRequested: () => undefined, onResolved: () => undefined }),
    registry: createToolRegistry([toolset], () => tizonaTools),
    services: () => session.tools,
    fullTexts: { save: () => undefined, load: () => undefined },
  })
  const call = (name: string, args: unknown) =>
    executor.call({
      callId: 'example',
      name,
      arguments: args,
      toolset: toolset.name,
      mode: 'yolo',
      attended: false,
      signal: new AbortController().signal,
      ...(name === 'task' && { subAgent: () => exampleSubAgent }),
    })
  try {
    if (indexed.test(tool.name)) await waitForIndex(session)
    const job = JSON.stringify(example).includes(exampleJob) ? await startJob(call) : undefined
    // The job writes output only after this file exists.
    if (tool.name === 'read_command_output') await writeTree(folder.root, { 'temp/go': '' })
    const result = await call(tool.name, filledIn(example, site, job))
    return { ...result, text: normalize(result.text, { site, job, root: folder.root }) }
  } finally {
    await session.dispose()
    db.close()
    await Promise.all([site.close(), folder.remove(), data.remove()])
  }
}

async function waitForIndex({ code }: WorkspaceSession): Promise<void> {
  for (;;) {
    const { state } = await code.status()
    if (state === 'ready') return
    await setTimeout(10)
  }
}

/** Starts a command that keeps running and writes a line once `temp/go` exists. */
async function startJob(call: (name: string, args: unknown) => ReturnType<Executor['call']>): Promise<string> {
  const { view, text } = await call('run_command', {
    command: 'until [ -e temp/go ]; do sleep 0.05; done; echo 12 tests passed; sleep 300',
    blocking: false,
  })
  if (view.kind !== 'command') throw new Error(text)
  return view.job.id
}

function filledIn(example: Record<string, unknown>, site: TestServer, job: string | undefined): string {
  const text = exampleOrigins.reduce((json, origin) => json.replaceAll(origin, site.origin), JSON.stringify(example))
  return job === undefined ? text : text.replaceAll(exampleJob, job)
}

/** Replaces parts of a result that differ in each run. */
function normalize(
  text: string,
  { site, job, root }: { site: TestServer; job: string | undefined; root: string },
): string {
  const named = job === undefined ? text : text.replaceAll(job, exampleJob)
  return named
    .replaceAll(root, exampleRoot)
    .replaceAll(site.origin, 'https://example.com')
    .replaceAll(/\bafter \d+\.\d s\b/g, 'after 0.2 s')
    .replaceAll(/"elapsed_ms": [\d.]+/g, '"elapsed_ms": 3')
    .replaceAll(/("index_path": ")[^"]*(?=\/code-index\/)/g, '$1/home/ada/.config/Tizona')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '0123456789abcdef0123456789abcdef01234567')
}

/** The report of a model that carried out a task. */
const exampleSubAgent: RunSubAgent = async ({ tools }) => ({
  text:
    tools === 'read'
      ? 'The setting is read in two places: src/theme.ts:12 and src/App.tsx:30.'
      : 'I changed three comments, in src/ui/button.ts:4, src/ui/list.ts:9 and src/ui/list.ts:31.',
  turns: 3,
  toolCalls: 4,
  tokens: 5200,
  ended: 'answered',
  problem: '',
})

function exampleEditor() {
  const path = 'src/main.rs'
  const selection = { path, startLine: 2, startColumn: 5, endLine: 2, endColumn: 23 }
  const replaced = 'println!("Hello");'
  return fakeEditor({
    'editor.state': () => ({
      active_file: path,
      open_files: [path, 'src/lib.rs'],
      active_tab_index: 0,
      cursor_line: 2,
      cursor_column: 23,
      selection_start_line: 2,
      selection_end_line: 2,
    }),
    'editor.open': ({ path: opened, line = 1, column = 1 }) => ({ path: opened, line, column }),
    'editor.goto': ({ line, column = 1 }) => ({ path, line, column }),
    'editor.selection': () => ({ ...selection, text: replaced }),
    'editor.replaceSelection': () => ({ ...selection, replaced, dirty: true }),
    'editor.insertAtCursor': () => ({
      ...selection,
      startLine: 2,
      endLine: 3,
      endColumn: 1,
      replaced: '',
      dirty: true,
    }),
  })
}

const answerRequest: Parameters<typeof startSite>[0] = (request, response) => {
  const json = (status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (request.method === 'POST') return json(201, { id: 7, name: 'a' })
  if (request.url?.startsWith('/search?')) {
    const results = [
      {
        title: 'Error handling',
        url: 'https://example.com/errors',
        content: 'Recoverable errors are values of type Result.',
      },
      {
        title: 'Runtimes compared',
        url: 'https://example.com/runtimes',
        content: 'Two schedulers and what they are good at.',
      },
    ]
    return json(200, { results })
  }
  if (request.url === '/data') return json(200, { ships: 3, free_berths: 4 })
  response.writeHead(200, { 'content-type': 'text/html' })
  return response.end(
    '<!doctype html><title>Example Domain</title><main><h1>Example Domain</h1><p>For use in <em>examples</em>.</p></main>',
  )
}

/** An MCP configuration without servers. */
async function noServers(userData: string): Promise<SessionDeps['mcp']> {
  const trust = await createTrustStore(userData, () => undefined)
  const settings = mcpSettingsSchema.parse({})
  return {
    home: userData,
    version: '0',
    settings: () => settings,
    trust,
    trustAll: false,
    secret: async () => undefined,
    setSecret: async () => undefined,
    environment: {},
    onChanged: () => undefined,
  }
}
