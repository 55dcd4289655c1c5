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
import {
  calledFile as file,
  calledFiles as files,
  pathCalls as calls,
  failingCalls as failing,
} from '../testing/pathCalls.ts'
import { pathKind } from './pathArguments.ts'

// Every parameter of every tool that names a file or folder.

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
    // Patches take the same kind of path as file_path or path beside them. `debug_variables.path` names members of values.
    const others = /^(?:Patch|file_patch)\.patch$|^debug_variables\.path$/
    expect(wanted.filter((name) => !tested.has(name) && !others.test(name))).toEqual([])
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
