import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { sandboxedJobs } from '../command/testing/sandboxedJobs.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { createFilesNamed } from '../search/filesNamed.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createProjectFormatter } from './projectFormatter.ts'

const { signal } = new AbortController()
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let jobs: Jobs
afterEach(async () => {
  await jobs.dispose()
  await folder.remove()
})

/** Creates a folder with programs: shell scripts by path. */
async function formatterOf(
  files: Record<string, string>,
  {
    trusted = true,
    approved = true,
    sandboxed = true,
    timeoutMs,
    findOnPath = async (program) => {
      throw new ToolError('command_not_found', program)
    },
  }: {
    trusted?: boolean
    approved?: boolean
    sandboxed?: boolean
    timeoutMs?: number
    findOnPath?(program: string): Promise<string>
  } = {},
) {
  folder = await temporaryFolder(files)
  for (const name of Object.keys(files))
    if (name.includes('/bin/') || name.includes('.bin/')) await chmod(path.join(folder.root, name), 0o755)
  jobs = await sandboxedJobs(folder.root, { enabled: sandboxed })
  const workspace = await openWorkspace(folder.root)
  return createProjectFormatter({
    workspace,
    filesNamed: createFilesNamed(workspace),
    isTrusted: () => trusted,
    isApproved: async () => approved,
    filter: jobs.filter,
    findOnPath,
    timeoutMs,
  })
}

/** A formatter that writes its name and arguments before the text. */
const echo = '#!/bin/sh\necho "${0##*/} $*"\ncat\n'

it('the formatter that the project configures gets the unsaved text', async () => {
  const formatter = await formatterOf({ '.prettierrc': '{}', 'node_modules/.bin/prettier': echo })
  expect(await formatter.format('src/a.ts', 'let a  = 1\n', signal)).toEqual({
    text: 'prettier --stdin-filepath=src/a.ts\nlet a  = 1\n',
    formatter: 'Prettier',
  })
})

it('the nearest configuration decides, and the program of the folder above is used', async () => {
  const formatter = await formatterOf({
    'biome.json': '{}',
    'node_modules/.bin/biome': echo,
    'node_modules/.bin/prettier': echo,
    'web/package.json': '{"prettier": {}}',
    'api/pyproject.toml': '[project]\n[tool.ruff.format]\n',
    'api/.venv/bin/ruff': echo,
  })
  expect((await formatter.format('a.ts', '', signal))?.formatter).toBe('Biome')
  expect((await formatter.format('web/src/a.ts', '', signal))?.text).toContain('--stdin-filepath=src/a.ts')
  expect((await formatter.format('api/a.py', '', signal))?.text).toContain(
    'ruff format --quiet --stdin-filename a.py -',
  )
  expect(await formatter.format('notes.txt', '', signal)).toBe(null)
})

it('a package that lists Prettier without a configuration uses it', async () => {
  const formatter = await formatterOf({
    'package.json': '{"devDependencies": {"prettier": "3"}}',
    'node_modules/.bin/prettier': echo,
  })
  expect((await formatter.format('a.css', '', signal))?.formatter).toBe('Prettier')
})

it('a folder that is not trusted runs no program', async () => {
  const formatter = await formatterOf({ '.prettierrc': '{}', 'node_modules/.bin/prettier': echo }, { trusted: false })
  expect(await formatter.format('a.ts', 'x', signal)).toBe(null)
})

it('a formatter that is new or has changed since the folder was trusted does not run', async () => {
  const files = { '.prettierrc': '{}', 'node_modules/.bin/prettier': echo }
  const formatter = await formatterOf(files, { approved: false })
  await expect(formatter.format('a.ts', 'x', signal)).rejects.toThrow(
    /new or has changed since you trusted this folder/,
  )
  expect(await formatter.folderPrograms()).toEqual(
    ['node_modules/.bin/prettier', '.prettierrc'].map((file) => path.join(folder.root, file)),
  )
})

it('a configuration that changed does not run, also for a formatter of the machine', async () => {
  const bin = await temporaryFolder({ prettier: echo })
  await chmod(path.join(bin.root, 'prettier'), 0o755)
  const files = { 'web/prettier.config.mjs': '', 'web/package.json': '{"prettier": "config"}', 'package.json': '{}' }
  const formatter = await formatterOf(files, {
    approved: false,
    findOnPath: async (name) => path.join(bin.root, name),
  })
  await expect(formatter.format('web/a.ts', 'x', signal)).rejects.toThrow(
    /web\/prettier\.config\.mjs is new or has changed since you trusted this folder/,
  )
  expect((await formatter.folderPrograms()).map((file) => path.relative(folder.root, file)).toSorted()).toEqual([
    'package.json',
    'web/package.json',
    'web/prettier.config.mjs',
  ])
  await bin.remove()
})

it('without a sandbox, only a formatter of the machine that runs no code of the folder runs', async () => {
  const bin = await temporaryFolder({ ruff: echo, prettier: echo })
  for (const name of ['ruff', 'prettier']) await chmod(path.join(bin.root, name), 0o755)
  const files = { 'ruff.toml': '', '.prettierrc': '{}', 'own/ruff.toml': '', 'own/.venv/bin/ruff': echo }
  const formatter = await formatterOf(files, {
    sandboxed: false,
    findOnPath: async (name) => path.join(bin.root, name),
  })
  expect((await formatter.format('a.py', 'x', signal))?.formatter).toBe('Ruff')
  for (const [file, name] of [
    ['own/a.py', 'ruff'],
    ['a.css', 'prettier'],
  ] as const)
    await expect(formatter.format(file, 'x', signal)).rejects.toThrow(
      `${name} only runs in the sandbox, which is not available: turned off in the settings.`,
    )
  await bin.remove()
})

it('a text that the formatter rejects stays, with the reason', async () => {
  const formatter = await formatterOf({
    '.prettierrc': '{}',
    'node_modules/.bin/prettier': '#!/bin/sh\necho "SyntaxError: line 3" >&2\nexit 2\n',
  })
  await expect(formatter.format('a.ts', 'x', signal)).rejects.toThrow(
    /Prettier did not format a.ts. SyntaxError: line 3/,
  )
})

it('a formatter that hangs is stopped, with its children', async () => {
  const formatter = await formatterOf(
    { '.prettierrc': '{}', 'node_modules/.bin/prettier': '#!/bin/sh\nsleep 60 &\nsleep 60\n' },
    { timeoutMs: 300 },
  )
  await expect(formatter.format('a.ts', 'x', signal)).rejects.toThrow(/longer than 0.3 seconds/)
})
