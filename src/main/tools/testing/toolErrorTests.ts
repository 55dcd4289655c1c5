import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolErrorCode } from '../../../shared/errors.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import { createGate } from '../../approval/gate.ts'
import { createCodeIndex } from '../../code/codeIndex.ts'
import { createJobs } from '../../command/jobs.ts'
import { testExaminer } from '../../approval/testing/testExaminer.ts'
import { createGit } from '../../git/git.ts'
import { createCheckpoints } from '../../history/checkpoints/checkpoints.ts'
import { openDatabase } from '../../history/database.ts'
import { createSearch } from '../../search/search.ts'
import { testWeb } from '../../web/testing/webServer.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { createExecutor } from '../executor.ts'
import { createToolRegistry } from '../toolRegistry.ts'
import { fakeEditor, temporaryFolder, testContext, type FakeEditor } from './toolContext.ts'
import type { Tool, ToolServices, Toolset } from '../common/toolDefinition.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

// Tables of invalid calls, made through the executor on real services. Each call must fail with its error code and a
// helpful message, and change no file.

/** Services for the set-up of a row. */
export interface ErrorTestContext {
  root: string
  editor: FakeEditor
}

export interface ErrorRow {
  tool: string
  /** The mistake in the call, for the name of the test. */
  mistake: string
  args: unknown
  code: ToolErrorCode
  /** Expected text or pattern in the result. */
  message: string | RegExp
  /** Runs before the call. */
  before?(context: ErrorTestContext): Promise<void>
  /** Runs during the call, after the tool has read its first file. */
  during?(context: ErrorTestContext): Promise<void>
}

interface ErrorTable {
  toolset: Toolset
  /** Files in the workspace, created once for all rows. */
  files: Readonly<Record<string, string | Buffer>>
  /** Rows, in groups. */
  rows: readonly (readonly ErrorRow[])[]
  /** Arguments of a valid call per tool, which the test cancels when the tool starts. */
  cancelled: Readonly<Record<string, Record<string, unknown>>>
  /** Tools that end before they can be cancelled. */
  instant?: readonly string[]
}

/** Registers the tests of a table, and tests of each tool's schema. */
export function testToolErrors({ toolset, files, rows: groups, cancelled, instant = [] }: ErrorTable): void {
  const rows = groups.flat()
  let world: ErrorWorld
  beforeAll(async () => {
    world = await createWorld(toolset, files)
  })
  afterAll(() => world.dispose())

  describe(`invalid calls of ${toolset.title}`, () => {
    test('every tool has an error row and a cancellation test', () => {
      const named = new Set(rows.map(({ tool }) => tool))
      expect(toolset.tools.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([])
      expect(
        toolset.tools.filter(({ name }) => !(name in cancelled) && !instant.includes(name)).map(({ name }) => name),
      ).toEqual([])
    })

    test.each([...toolset.tools.flatMap(schemaRows), ...rows].map((row) => [row.tool, row.mistake, row] as const))(
      '%s refuses %s',
      (_tool, _mistake, row) => expectRefusal(world, row),
    )

    test.each(Object.entries(cancelled))('%s changes nothing if it is cancelled at the start', async (name, args) => {
      resetEditor(world)
      const before = await snapshot(world.root)
      const stop = new AbortController()
      const result = await world.call(name, args, stop.signal, () => stop.abort())
      expect({ ok: result.ok, code: result.error?.code }).toEqual({ ok: false, code: 'cancelled' })
      expect(await snapshot(world.root)).toEqual(before)
    })
  })
}

/** The workspace and services that the calls of one table share. */
export interface ErrorWorld extends ErrorTestContext {
  /** Runs once, after the next read of a document. */
  afterRead: (() => Promise<void>) | undefined
  call(name: string, args: unknown, signal?: AbortSignal, onState?: () => void): Promise<ToolResult>
  dispose(): Promise<void>
}

/** Creates an executor with all services of a folder, in yolo mode. @param openAs another path of the folder */
export async function createWorld(
  toolset: Toolset,
  files: ErrorTable['files'],
  openAs?: (root: string) => Promise<string>,
): Promise<ErrorWorld> {
  const folder = await temporaryFolder(files)
  const data = await temporaryFolder()
  const editor = fakeEditor()
  const jobs = createJobs({
    workspaceRoot: folder.root,
    graceMs: 300,
    onChanged: () => undefined,
    onOutput: () => undefined,
  })
  const context = await testContext((await openAs?.(folder.root)) ?? folder.root, { editor, jobs, web: testWeb() })
  const { workspace, documents } = context
  const search = createSearch(workspace)
  const code = createCodeIndex({
    workspace,
    documents,
    search,
    userData: data.root,
    resources: fileURLToPath(new URL('../../../../resources', import.meta.url)),
    watched: false,
    dirtyBuffers: () => [],
    fork: inProcessIndex,
    onNotice: () => undefined,
  })
  const target = createRestoreTarget(workspace, createDocuments(workspace, editor), context.files, () => undefined)
  const { db } = await openDatabase(data.root)
  const checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target })
  const services: ToolServices = {
    ...context,
    search,
    code,
    checkpoints,
    git: createGit(workspace),
    documents: {
      ...documents,
      async read(...args) {
        const document = await documents.read(...args)
        const { afterRead } = world
        world.afterRead = undefined
        await afterRead?.()
        return document
      },
    },
  }
  const executor = createExecutor({
    gate: createGate({ examine: testExaminer(), onRequested: () => undefined, onResolved: () => undefined }),
    registry: createToolRegistry([toolset]),
    services: () => services,
    fullTexts: { save: () => undefined, load: () => undefined },
  })
  const world: ErrorWorld = {
    root: folder.root,
    editor,
    afterRead: undefined,
    call: (name, args, signal = new AbortController().signal, onState) =>
      executor.call({
        callId: 'c',
        name,
        arguments: args,
        toolset: toolset.name,
        mode: 'yolo',
        attended: false,
        signal,
        onState,
      }),
    async dispose() {
      await jobs.dispose()
      await code.dispose()
      db.close()
      await folder.remove()
      await data.remove()
    },
  }
  return world
}

function resetEditor({ editor }: ErrorWorld): void {
  editor.attached = true
  editor.tabs.clear()
}

async function expectRefusal(world: ErrorWorld, row: ErrorRow): Promise<void> {
  resetEditor(world)
  await row.before?.(world)
  const before = await snapshot(world.root)
  world.afterRead = row.during && (() => row.during?.(world) ?? Promise.resolve())
  const result = await world.call(row.tool, row.args)
  world.afterRead = undefined
  expect({ ok: result.ok, code: result.error?.code, text: result.text }).toEqual({
    ok: false,
    code: row.code,
    text: typeof row.message === 'string' ? expect.stringContaining(row.message) : expect.stringMatching(row.message),
  })
  expect(result.error?.next).not.toBe('')
  if (!row.during) expect(await snapshot(world.root)).toEqual(before)
}

/** Returns mistakes that apply to every tool: an unknown parameter, missing parameters and wrong types. */
function schemaRows(tool: Tool): ErrorRow[] {
  const fields = Object.keys(tool.schema.shape)
  const [first] = fields
  const surplus: ErrorRow =
    first === undefined
      ? {
          tool: tool.name,
          mistake: 'an unknown parameter',
          args: { surplus: 1 },
          code: 'invalid_arguments',
          message: 'has no parameter "surplus"',
        }
      : {
          tool: tool.name,
          mistake: 'a misspelled parameter',
          args: { [`${first}x`]: 1 },
          code: 'invalid_arguments',
          message: `has no parameter "${first}x"; did you mean "`,
        }
  const issues = tool.schema.safeParse({}).error?.issues ?? []
  const missing = [...new Set(issues.map((issue) => String(issue.path[0])))].filter((field) => fields.includes(field))
  return [
    surplus,
    ...(missing.length > 0
      ? [
          {
            tool: tool.name,
            mistake: 'a call without arguments',
            args: {},
            code: 'invalid_arguments',
            message: `"${missing[0]}" is missing`,
          } as const,
        ]
      : []),
    // No parameter is a list of lists.
    ...fields.map((field): ErrorRow => ({
      tool: tool.name,
      mistake: `a wrong type as ${field}`,
      args: { [field]: [[]] },
      code: 'invalid_arguments',
      message: new RegExp(`"${field}[^"]*" must be`),
    })),
  ]
}

/** Returns the content of all files and links, and the names of folders, except inside `.git`. */
async function snapshot(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found = entries
    .map((entry) => ({ entry, name: path.join(entry.parentPath, entry.name) }))
    .filter(({ name }) => !name.includes(`${path.sep}.git${path.sep}`))
  return Object.fromEntries(
    await Promise.all(
      found.map(async ({ entry, name }) => {
        if (entry.isSymbolicLink()) return [name, await readlink(name)]
        return [name, entry.isFile() ? await readFile(name, 'latin1') : 'folder']
      }),
    ),
  )
}
