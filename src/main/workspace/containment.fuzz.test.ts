import fc from 'fast-check'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { fuzz } from '../testing/fuzz.ts'
import { openWorkspace, type Workspace } from './containment.ts'

let base: string
let workspace: Workspace

/** Each kind of link: inside and outside, to files and folders, dangling, circular, and through other links. */
const links: Readonly<Record<string, string>> = {
  'in-file': 'folder/file.txt',
  'in-folder': 'folder',
  up: '..',
  'out-file': '../outside/secret.txt',
  'out-folder': '../outside',
  'out-missing': '../outside/missing.txt',
  'in-missing': 'folder/missing.txt',
  'to-link': 'out-folder',
  'around-a': 'around-b',
  'around-b': 'around-a',
  self: 'self/x',
  'folder/back': '../..',
  'folder/home': '../in-folder/deep',
  root: '/',
  tmp: '../outside/../workspace/../outside',
}

beforeAll(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-fuzz-')))
  await mkdir(path.join(base, 'workspace/folder/deep'), { recursive: true })
  await mkdir(path.join(base, 'outside'))
  await writeFile(path.join(base, 'outside/secret.txt'), 'secret')
  await writeFile(path.join(base, 'workspace/folder/file.txt'), 'x')
  for (const [name, target] of Object.entries(links)) await symlink(target, path.join(base, 'workspace', name))
  workspace = await openWorkspace(path.join(base, 'workspace'))
})
afterAll(async () => rm(base, { recursive: true, force: true }))

const names = [
  ...Object.keys(links),
  'folder',
  'deep',
  'file.txt',
  'missing.txt',
  'new',
  '.',
  '..',
  '..',
  '',
  '~',
  '...',
  '..\\',
  ' ',
  'ä',
  'a\u0308',
  'workspace',
  'outside',
  'secret.txt',
  'x'.repeat(300),
  'a\0b',
  '%2e%2e',
  '-',
  '*',
]
const requested = fc
  .record({
    start: fc.constantFrom('', '', '', '/', './', '~/', 'root/', 'base', 'workspace'),
    parts: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...names) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
      ),
      { maxLength: 8 },
    ),
  })
  .map(({ start, parts }) => {
    const from = start === 'base' ? `${base}/` : start === 'workspace' ? `${workspace.root}/` : start
    return from + parts.join('/')
  })
const options = fc.constantFrom({}, { missing: 'allow' } as const, { missing: 'allow', symlink: 'keep' } as const)
const expectedCodes = ['invalid_path', 'outside_workspace', 'permission_denied', 'not_found', 'not_a_directory']

/** Returns the real path of the part that exists, and the rest. Independent of the code under test. */
async function whereItLeads(absolute: string): Promise<string> {
  try {
    return await realpath(absolute)
  } catch {
    const parent = path.dirname(absolute)
    return parent === absolute ? absolute : path.join(await whereItLeads(parent), path.basename(absolute))
  }
}

const isInside = (absolute: string) => absolute === workspace.root || absolute.startsWith(`${workspace.root}/`)

describe('any path', () => {
  fuzz('resolves to a path inside the workspace, or is refused', [requested, options], async (given, how) => {
    try {
      const { absolute, relative, exists, type } = await workspace.resolve(given, how)
      expect(isInside(absolute)).toBe(true)
      const parent = path.dirname(absolute)
      expect(isInside(absolute === workspace.root ? absolute : await whereItLeads(parent))).toBe(true)
      if (type !== 'symlink') expect(isInside(await whereItLeads(absolute))).toBe(true)
      expect(path.resolve(workspace.root, relative)).toBe(absolute)
      expect(exists).toBe(type !== 'missing')
      // The resolved path is already a real path.
      const again = await workspace.resolve(relative, how)
      expect(again).toEqual({ absolute, relative, exists, type })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      expect(expectedCodes).toContain(error.code)
    }
  })

  fuzz('has one relative form inside the workspace', [requested], (given) => {
    if (given.includes('\0')) return
    const absolute = path.resolve(workspace.root, given)
    if (!isInside(absolute)) return expect(() => workspace.relative(absolute)).toThrow(ToolError)
    const relative = workspace.relative(absolute)
    expect(relative.split('/')).not.toContain('..')
    expect(workspace.relative(path.join(workspace.root, relative))).toBe(relative)
  })
})
