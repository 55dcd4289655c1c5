import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolErrorCode } from '../../../shared/errors.ts'
import type { ToolResult } from '../../../shared/tool.ts'
import { createGate } from '../../approval/gate.ts'
import { createCodeIndex, type CodeIndex } from '../../code/index/codeIndex.ts'
import { createJobs, type Jobs } from '../../command/jobs.ts'
import { parseShellLine } from '../../command/shellParse.ts'
import { createGit } from '../../git/git.ts'
import { createCheckpoints } from '../../history/checkpoints/checkpoints.ts'
import { openDatabase } from '../../history/database.ts'
import { createSearch } from '../../search/search.ts'
import { testWeb } from '../../web/testing/webServer.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { createExecutor, type Executor, type ToolServices } from '../executor.ts'
import { createRegistry } from '../registry.ts'
import { fakeEditor, temporaryFolder, testContext, type FakeEditor } from './toolContext.ts'
import type { Tool } from '../tool.ts'
import type { Toolset } from '../toolset.ts'

// Tables of bad calls, made through the executor on real services: each must fail with its code and in words that help, and change nothing.

/** The folder and services that the calls of one table share. */
export interface ErrorWorld {
  root: string
  editor: FakeEditor
}

export interface ErrorRow {
  tool: string
  /** What is wrong, for the test's name. */
  what: string
  args: unknown
  code: ToolErrorCode
  /** What its text must say. */
  says: string | RegExp
  /** Runs before the call. */
  before?(world: ErrorWorld): Promise<void>
  /** Runs while the call does: as soon as it has read its file. */
  during?(world: ErrorWorld): Promise<void>
}

interface ErrorTable {
  toolset: Toolset
  /** Of the folder before each call. */
  files: Readonly<Record<string, string | Buffer>>
  rows: readonly ErrorRow[]
  /** For each tool a call that would succeed; it is cancelled when it begins to run. */
  cancelled: Readonly<Record<string, Record<string, unknown>>>
  /** Tools that are done before anything could cancel them. */
  instant?: readonly string[]
}

/** The tests of a table, with those that every tool's schema asks for. */
export function testErrors({ toolset, files, rows, cancelled, instant = [] }: ErrorTable): void {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let data: Awaited<ReturnType<typeof temporaryFolder>>
  let world: ErrorWorld
  let jobs: Jobs
  let code: CodeIndex
  let db: DatabaseSync
  let executor: Executor
  let afterRead: (() => Promise<void>) | undefined

  beforeAll(async () => {
    folder = await temporaryFolder(files)
    data = await temporaryFolder()
    const editor = fakeEditor()
    world = { root: folder.root, editor }
    jobs = createJobs({
      workspaceRoot: folder.root,
      graceMs: 300,
      onChanged: () => undefined,
      onOutput: () => undefined,
    })
    const context = await testContext(folder.root, { editor, jobs, web: testWeb() })
    const { workspace, documents } = context
    const search = createSearch(workspace)
    const resources = fileURLToPath(new URL('../../../../resources', import.meta.url))
    code = createCodeIndex({
      workspace,
      documents,
      search,
      userData: data.root,
      resources,
      watched: false,
      dirtyBuffers: () => [],
      onNotice: () => undefined,
    })
    const target = createRestoreTarget(workspace, createDocuments(workspace, editor), context.files, () => undefined)
    db = (await openDatabase(data.root)).db
    const checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target })
    const services: ToolServices = {
      ...context,
      search,
      code,
      checkpoints,
      git: createGit(workspace),
      documents: {
        ...documents,
        async read(...given) {
          const document = await documents.read(...given)
          const act = afterRead
          afterRead = undefined
          await act?.()
          return document
        },
      },
    }
    executor = createExecutor({
      gate: createGate({ parse: parseShellLine, onRequested: () => undefined, onResolved: () => undefined }),
      registry: createRegistry([toolset]),
      services: () => services,
      fullTexts: { save: () => undefined, load: () => undefined },
    })
  })
  afterAll(async () => {
    await jobs.dispose()
    await code.dispose()
    db.close()
    await folder.remove()
    await data.remove()
  })

  const call = (
    name: string,
    args: unknown,
    signal = new AbortController().signal,
    onState?: () => void,
  ): Promise<ToolResult> =>
    executor.call({
      callId: 'c',
      name,
      arguments: args,
      toolset: toolset.name,
      mode: 'yolo',
      attended: false,
      signal,
      onState,
    })

  describe(`bad calls of ${toolset.title}`, () => {
    test('every tool has a row and a call to be cancelled', () => {
      const named = new Set(rows.map(({ tool }) => tool))
      expect(toolset.tools.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([])
      expect(
        toolset.tools.filter(({ name }) => !(name in cancelled) && !instant.includes(name)).map(({ name }) => name),
      ).toEqual([])
    })

    test.each([...toolset.tools.flatMap(schemaRows), ...rows].map((row) => [row.tool, row.what, row] as const))(
      '%s: %s',
      async (_tool, _what, row) => {
        world.editor.attached = true
        world.editor.tabs.clear()
        await row.before?.(world)
        const there = await snapshot(world.root)
        afterRead = row.during && (() => row.during?.(world) ?? Promise.resolve())
        const result = await call(row.tool, row.args)
        afterRead = undefined
        expect({ ok: result.ok, code: result.error?.code, text: result.text }).toEqual({
          ok: false,
          code: row.code,
          text: typeof row.says === 'string' ? expect.stringContaining(row.says) : expect.stringMatching(row.says),
        })
        expect(result.error?.next).not.toBe('')
        if (!row.during) expect(await snapshot(world.root)).toEqual(there)
      },
    )

    test.each(Object.entries(cancelled))('%s: cancelled when it has begun', async (name, args) => {
      world.editor.attached = true
      world.editor.tabs.clear()
      const there = await snapshot(world.root)
      const stop = new AbortController()
      const result = await call(name, args, stop.signal, () => stop.abort())
      expect({ ok: result.ok, code: result.error?.code }).toEqual({ ok: false, code: 'cancelled' })
      expect(await snapshot(world.root)).toEqual(there)
    })
  })
}

/** What is wrong with any call alike: a surplus field, missing ones, wrong types. */
function schemaRows(tool: Tool): ErrorRow[] {
  const fields = Object.keys(tool.schema.shape)
  const [first] = fields
  const surplus: ErrorRow =
    first === undefined
      ? {
          tool: tool.name,
          what: 'a field that it does not have',
          args: { surplus: 1 },
          code: 'invalid_arguments',
          says: 'has no parameter "surplus"',
        }
      : {
          tool: tool.name,
          what: 'a misspelled field',
          args: { [`${first}x`]: 1 },
          code: 'invalid_arguments',
          says: `has no parameter "${first}x"; did you mean "`,
        }
  const issues = tool.schema.safeParse({}).error?.issues ?? []
  const missing = [...new Set(issues.map((issue) => String(issue.path[0])))].filter((field) => fields.includes(field))
  return [
    surplus,
    ...(missing.length > 0
      ? [
          {
            tool: tool.name,
            what: 'nothing given',
            args: {},
            code: 'invalid_arguments',
            says: `"${missing[0]}" is missing`,
          } as const,
        ]
      : []),
    // A list with a list inside is right for no field.
    ...fields.map((field): ErrorRow => ({
      tool: tool.name,
      what: `a wrong type as ${field}`,
      args: { [field]: [[]] },
      code: 'invalid_arguments',
      says: new RegExp(`"${field}[^"]*" must be`),
    })),
  ]
}

/** Every file, folder and link with its content, but for what git keeps. */
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
