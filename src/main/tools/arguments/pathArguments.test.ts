import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bladeToolset } from '../blade/bladeToolset.ts'
import { rustantToolset } from '../rustant/rustantToolset.ts'
import { rustyToolset } from '../rusty/rustyToolset.ts'
import { createWorld, type ErrorWorld } from '../testing/toolErrorTests.ts'
import { writeTree } from '../testing/toolContext.ts'
import { tizonaTools } from '../tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from '../ultrasushitron/ultraSushiTronToolset.ts'
import { pathKind } from './pathArguments.ts'

// Every parameter of every tool that names a file or folder.

const file = 'src/app/main.rs'
const folder = 'src/app'
const files = { [file]: 'fn main() {}\n', 'src/app/other.rs': 'fn other() {}\n' }
/** A call per path parameter, with the path as the model should write it. */
type Calls = Record<string, readonly (readonly [parameter: string, args: Record<string, unknown>])[]>
const rust = { path: file, line: 1, name: 'main' }
const tizona: Calls = {
  get_diagnostics: [['path', { path: file }]],
  code_actions: [['path', { path: file, line: 1 }]],
  rename_symbol: [['path', { ...rust, new_name: 'start' }]],
}
const diff = '@@ -1 +1 @@\n-fn main() {}\n+fn start() {}\n'
const calls: Record<string, Calls> = {
  blade: {
    read_file: [['path', { path: file }]],
    read_file_range: [['path', { path: file, start_line: 1 }]],
    read_many_files: [
      ['paths', { paths: [file] }],
      ['exclude', { paths: [folder], exclude: [file] }],
    ],
    grep_search: [['path', { pattern: 'main', path: file }]],
    codebase_search: [['file_pattern', { query: 'main', file_pattern: file }]],
    find_files: [['path', { pattern: 'main', path: folder }]],
    find_files_glob: [
      ['path', { pattern: '*.rs', path: folder }],
      ['pattern', { pattern: file }],
    ],
    list_dir: [['path', { path: folder }]],
    get_workspace_structure: [['path', { path: folder }]],
    get_file_info: [['path', { path: file }]],
    symbol_search: [['path', { query: 'main', path: file }]],
    symbol_resolve: [['path', { path: file, name: 'main' }]],
    symbol_outline: [['path', { path: file }]],
    symbol_graph: [['path', { path: file, name: 'main' }]],
    get_project_index_overview: [['path', { path: folder }]],
    get_project_index_chunk: [['path', { path: folder }]],
    codebase_investigator: [['scope', { objective: 'Where is main?', scope: [file] }]],
    apply_patch: [
      ['path', { path: file, old_text: 'main', new_text: 'start' }],
      ['patch', { patch: `*** Begin Patch\n*** Update File: ${file}\n-fn main() {}\n+fn start() {}\n*** End Patch` }],
    ],
    edit_file: [['path', { path: file, old_content: 'main', new_content: 'start' }]],
    write_file: [['path', { path: file, content: 'fn start() {}\n' }]],
    create_directory: [['path', { path: folder }]],
    move_file: [
      ['source', { source: file, destination: 'moved.rs' }],
      ['destination', { source: 'src/app/other.rs', destination: file, overwrite: true }],
    ],
    copy_file: [
      ['source', { source: file, destination: 'copied.rs' }],
      ['destination', { source: 'src/app/other.rs', destination: file, overwrite: true }],
    ],
    delete_file: [['path', { path: file }]],
    run_command: [['cwd', { command: 'true', cwd: folder }]],
    open_file: [['path', { path: file }]],
    ...tizona,
  },
  ultrasushitron: {
    Read: [['file_path', { file_path: file }]],
    Grep: [['path', { pattern: 'main', path: file }]],
    Find: [
      ['path', { pattern: '*.rs', path: folder }],
      ['pattern', { pattern: file }],
    ],
    ListDir: [['path', { path: folder }]],
    Edit: [['file_path', { file_path: file, old_string: 'main', new_string: 'start' }]],
    Patch: [['file_path', { file_path: file, patch: diff }]],
    Write: [['file_path', { file_path: file, content: 'x\n' }]],
    Diff: [
      ['file_a', { file_a: file, text_b: 'x' }],
      ['file_b', { file_b: file, text_a: 'x' }],
    ],
  },
  rustant: {
    file_read: [['path', { path: file }]],
    file_search: [
      ['path', { pattern: '*.rs', path: folder }],
      ['pattern', { pattern: file }],
    ],
    file_list: [['path', { path: folder }]],
    file_patch: [['path', { path: file, patch: diff }]],
    file_write: [['path', { path: file, content: 'x\n' }]],
    git_status: [['path', { path: folder }]],
    git_diff: [['path', { path: file }]],
    git_commit: [['path', { message: 'm', path: folder }]],
    document_read: [['path', { path: file }]],
    smart_edit: [['path', { path: file, location: 'line 1', operation: 'delete' }]],
  },
  rusty: {
    file_read: [['path', { path: file }]],
    file_edit: [['path', { path: file, old_string: 'main', new_string: 'start' }]],
    file_write: [['path', { path: file, content: 'x\n' }]],
    apply_patch: [
      ['patch', { patch: `*** Begin Patch\n*** Update File: ${file}\n-fn main() {}\n+fn start() {}\n*** End Patch` }],
    ],
  },
}
/** Tools that fail here for want of a window, a repository or a document. Their arguments are compared all the same. */
const failing = new Set([
  'get_diagnostics',
  'open_file',
  'git_status',
  'git_diff',
  'git_commit',
  'document_read',
  'rename_symbol',
  'code_actions',
])

/** Notations of a path that exists. `root`: absolute path of the workspace. */
const notations: readonly (readonly [name: string, write: (path: string, root: string) => string, globs: boolean])[] = [
  ['double quotes', (path) => `"${path}"`, true],
  ['backticks', (path) => `\`${path}\``, true],
  ['spaces around it', (path) => ` ${path}\n`, true],
  ['backslashes', (path) => path.replaceAll('/', '\\'), true],
  ['./ and backslashes', (path) => `.\\${path.replaceAll('/', '\\')}`, false],
  ['a file:// address', (path, root) => pathToFileURL(`${root}/${path}`).href, false],
  ['a relative file:// address', (path) => `file://${path}`, false],
  ['a mention', (path) => `@${path}`, false],
  ['a line', (path) => `${path}:5`, false],
  ['a line and a column', (path) => `${path}:5:3`, false],
  ['a range of lines', (path) => `${path}#L5-L9`, false],
  ['a leading slash', (path) => `/${path}`, false],
  ['several of these', (path) => `"@${path.replaceAll('/', '\\')}:12"`, false],
]

describe.each([bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset])('$title', (toolset) => {
  const rows = Object.entries(calls[toolset.name] ?? {}).flatMap(([tool, own]) =>
    own.map(([parameter, args]) => ({ tool, parameter, args })),
  )
  let world: ErrorWorld
  beforeAll(async () => {
    world = await createWorld(toolset, files)
  })
  afterAll(() => world.dispose())

  test('has a call for every parameter that names files', () => {
    const shared = toolset.name === 'blade' ? tizonaTools : []
    const wanted = [...toolset.tools, ...shared].flatMap((tool) =>
      Object.keys(tool.schema.shape)
        .filter((name) => pathKind(tool, name) !== undefined)
        .map((name) => `${tool.name}.${name}`),
    )
    const tested = new Set(rows.map(({ tool, parameter }) => `${tool}.${parameter}`))
    // These take the same kind of patch as file_path or path beside it.
    expect(wanted.filter((name) => !tested.has(name) && !/^(?:Patch|file_patch)\.patch$/.test(name))).toEqual([])
  })

  test.each(rows)('$tool reads other notations of $parameter', async ({ tool, parameter, args }) => {
    const call = async (given: Record<string, unknown>) => {
      await rm(`${world.root}/src`, { recursive: true, force: true })
      for (const left of ['moved.rs', 'copied.rs']) await rm(`${world.root}/${left}`, { force: true })
      await writeTree(world.root, files)
      return world.call(tool, given)
    }
    const plain = await call(args)
    if (!failing.has(tool)) expect(plain).toMatchObject({ ok: true })
    const isGlob = ['exclude', 'pattern', 'file_pattern'].includes(parameter)
    for (const [name, write, globs] of notations) {
      if (isGlob && !globs) continue
      const rewrite = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(rewrite)
        if (typeof value !== 'string') return value
        // Quotes and spaces do not belong into the header of a patch.
        if (parameter === 'patch') return value.replace(file, write(file, world.root).trim())
        return write(value, world.root)
      }
      const result = await call({ ...args, [parameter]: rewrite(args[parameter]) })
      // An address is an absolute path.
      const read: unknown = JSON.parse(JSON.stringify(result.arguments).replaceAll(`${world.root}/`, ''))
      expect({ name, ok: result.ok, arguments: read }).toEqual({
        name,
        ok: plain.ok,
        arguments: plain.arguments,
      })
    }
  })
})

describe('a path that does not exist', () => {
  let world: ErrorWorld
  beforeAll(async () => {
    world = await createWorld(bladeToolset, files)
  })
  afterAll(() => world.dispose())

  test.each([
    ['src\\new\\deep.rs', 'src/new/deep.rs'],
    ['"src/quoted.rs"', 'src/quoted.rs'],
    ['file://src/address.rs', 'src/address.rs'],
    ['/src/app/rooted.rs', 'src/app/rooted.rs'],
    // File names may look like these.
    ['@types/index.d.ts', '@types/index.d.ts'],
    ['src/a:5', 'src/a:5'],
  ])('is created as it is meant: %s', async (given, created) => {
    const result = await world.call('write_file', { path: given, content: 'x\n' })
    expect(result).toMatchObject({ ok: true, arguments: { path: created } })
    expect(result.text).toContain(`Created "${created}"`)
    if (given !== created) expect(result.text).toContain(`was read as "${created}"`)
  })

  test('is not moved into the folder if the path could be meant', async () => {
    const result = await world.call('write_file', { path: '/tmp/elsewhere/x.txt', content: 'x\n' })
    expect(result.error?.code).toBe('outside_workspace')
  })

  test('keeps a name with a backslash that exists', async () => {
    await writeTree(world.root, { 'a\\b.txt': 'odd\n' })
    expect((await world.call('read_file', { path: 'a\\b.txt' })).text).toBe('odd\n')
  })
})
