import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { programFiles } from './programFiles.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
afterEach(() => folder.remove())

/** Lists the files of a program of a folder with these files, relative to it. */
async function filesOf(program: string, files: Record<string, string>): Promise<string[] | undefined> {
  folder = await temporaryFolder(files)
  return listed(program)
}
const listed = async (program: string) =>
  (await programFiles(path.join(folder.root, program)))?.map((file) => path.relative(folder.root, file))

it('a configuration that is a script has the scripts and packages that it names, and what these need', async () => {
  const files = {
    'eslint.config.mjs':
      "/* don't */ import a from './rules/a.js'; const { b } = require(`plugin-b/sub`); await import('@c/d')",
    'rules/a.js': "import '../more'; import './data.json'",
    'rules/data.json': '{}',
    'more.ts': '',
    'other.ts': '',
    'node_modules/plugin-b/index.js': '',
    'node_modules/plugin-b/package.json': '{"peerDependencies": {"peer": "1"}}',
    'node_modules/peer/index.js': '',
    'node_modules/@c/d/index.js': '',
    'node_modules/unused/index.js': '',
  }
  expect(await filesOf('eslint.config.mjs', files)).toEqual([
    'eslint.config.mjs',
    'more.ts',
    'node_modules/@c/d/index.js',
    'node_modules/peer/index.js',
    'node_modules/plugin-b/index.js',
    'node_modules/plugin-b/package.json',
    'rules/a.js',
  ])
})

it('a configuration that is data has the code that it names, and itself if it can name any', async () => {
  const packages = {
    'node_modules/sorter/index.js': '',
    'node_modules/dependency/index.js': '',
    'own.js': '',
    'with space.js': '',
  }
  const sorter = ['node_modules/sorter/index.js']
  const cases: [string, string, string[]][] = [
    ['.prettierrc', 'semi: false', []],
    ['.prettierrc', 'sorter', sorter],
    ['.prettierrc', 'plugins:\n  - sorter\n', ['.prettierrc', ...sorter]],
    ['.prettierrc', '{"\\u0070lugins": ["\\u002e/own.js"]}', ['.prettierrc']],
    ['.prettierrc.json', '{"plugins": ["sorter", "./own.js"]}', ['.prettierrc.json', ...sorter, 'own.js']],
    ['.prettierrc.json', '{"plugins": ["./with space.js"]}', ['.prettierrc.json', 'with space.js']],
    ['.prettierrc.toml', 'plugins = ["sorter"]', ['.prettierrc.toml', ...sorter]],
    ['package.json', '{"dependencies": {"dependency": "1"}}', []],
    [
      'package.json',
      '{"dependencies": {"dependency": "1"}, "prettier": {"plugins": ["sorter"]}}',
      [...sorter, 'package.json'],
    ],
    ['package.json', 'no JSON', []],
  ]
  for (const [name, text, expected] of cases) {
    expect(await filesOf(name, { ...packages, [name]: text }), text).toEqual(expected)
    await folder.remove()
  }
})

it('a program of a virtual environment has its distribution, those that it requires, and what Python runs at its start', async () => {
  const site = '.venv/lib/python3.11/site-packages'
  const record = (...files: string[]) => [...files, ''].map((file) => `${file},sha256=x,1`).join('\n')
  const files = {
    '.venv/pyvenv.cfg': '',
    '.venv/bin/black': '#!.venv/bin/python\nfrom black import main',
    '.venv/bin/json.py': '',
    '.venv/bin/other': '',
    [`${site}/black-24.1.dist-info/RECORD`]: record('../../../bin/black', 'black/__init__.py', '"odd,name.py"'),
    [`${site}/black-24.1.dist-info/METADATA`]:
      'Name: black\nRequires-Dist: Path_Spec>=0.9\nRequires-Dist: absent\nRequires-Dist: unused; extra == "d"',
    [`${site}/black/__init__.py`]: '',
    [`${site}/black/__pycache__/__init__.cpython-311.pyc`]: '',
    [`${site}/path_spec-1.dist-info/RECORD`]: record('pathspec/a.py'),
    [`${site}/path_spec-1.dist-info/METADATA`]: '',
    [`${site}/unused-1.dist-info/RECORD`]: record('unused.py'),
    [`${site}/start.pth`]: '',
    [`${site}/sitecustomize.py`]: '',
    [`${site}/unused.py`]: '',
  }
  expect(await filesOf('.venv/bin/black', files)).toEqual(
    [
      '.venv/bin/black',
      '.venv/bin/json.py',
      `${site}/black-24.1.dist-info/METADATA`,
      `${site}/black-24.1.dist-info/RECORD`,
      `${site}/black/__init__.py`,
      `${site}/black/__pycache__/__init__.cpython-311.pyc`,
      `${site}/odd,name.py`,
      `${site}/path_spec-1.dist-info/METADATA`,
      `${site}/path_spec-1.dist-info/RECORD`,
      `${site}/pathspec/a.py`,
      `${site}/sitecustomize.py`,
      `${site}/start.pth`,
      '.venv/pyvenv.cfg',
    ].toSorted(),
  )
})

it('what is too large to read is never approved, because it could name code', async () => {
  const large = `plugins: [sorter]\n${'#'.repeat(1_100_000)}`
  expect(await filesOf('.prettierrc', { '.prettierrc': large })).toBeUndefined()
  await folder.remove()
  const words = Array.from({ length: 10_001 }, (_, index) => `w${index}`).join(' ')
  expect(await filesOf('.prettierrc', { '.prettierrc': words })).toBeUndefined()
  await folder.remove()
  const site = '.venv/lib/python3.11/site-packages'
  const record = `../../../bin/a,,\n`
  const files = {
    '.venv/pyvenv.cfg': '',
    '.venv/bin/a': '',
    [`${site}/a-1.dist-info/RECORD`]: record,
    [`${site}/a-1.dist-info/METADATA`]: 'Requires-Dist: big',
    [`${site}/big-1.dist-info/RECORD`]: 'x,,\n'.repeat(300_000),
  }
  expect(await filesOf('.venv/bin/a', files)).toBeUndefined()
})

it('another program is its file, and a missing one is null', async () => {
  expect(await filesOf('bin/gopls', { 'bin/gopls': "import './a.js'", 'bin/a.js': '' })).toEqual(['bin/gopls'])
  await symlink('missing', path.join(folder.root, 'bin/broken'))
  expect(await listed('bin/broken')).toBeUndefined()
})
