import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { workers } from '../electron.vite.config.ts'
import { importedBelow, requiredBelow, requiredBy, type Required } from './testing/builtRequires.ts'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'out')
/** Our own package.json. */
const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'optionalDependencies',
  Record<string, string>
>
/** Packages that a process imports when it needs them, and whose absence it reports. */
const optional = (file: string) => (file === 'modelFileProcess.js' ? optionalDependencies : {})

test('each worker is a separate entry with the file name that its starter uses', () => {
  expect(workers).toMatchObject({
    checkpointWorker: expect.stringMatching(/checkpointWorker\.ts$/),
    editWorker: expect.stringMatching(/editWorker\.ts$/),
    indexProcess: expect.stringMatching(/indexProcess\.ts$/),
    indexWatchdog: expect.stringMatching(/indexWatchdog\.ts$/),
    readerWorker: expect.stringMatching(/readerWorker\.ts$/),
    scanWorker: expect.stringMatching(/scanWorker\.ts$/),
    watchWorker: expect.stringMatching(/watchWorker\.ts$/),
  })
  for (const file of Object.values(workers)) expect(existsSync(file), file).toBe(true)
})

/**
 * Whether an installed application could not resolve the specifier: not built in, not Electron's, not a declared
 * dependency, and not a file of the build.
 */
const missing = ({ file, specifier }: Required): boolean => {
  if (specifier.startsWith('.')) return !existsSync(join(out, 'main', file, '..', specifier))
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  return (
    specifier !== 'electron' && !isBuiltin(specifier) && !Object.hasOwn({ ...dependencies, ...optional(file) }, name)
  )
}

describe('the build (created by npm run build)', () => {
  it('of main requires only built-in modules, electron and declared dependencies', () => {
    const required = requiredBelow(join(out, 'main'))
    expect(required.filter(missing)).toEqual([])
    // Known imports were found, so the search works.
    expect(required).toContainEqual({ file: 'index.js', specifier: 'electron' })
    expect(required.map(({ specifier }) => specifier)).toEqual(
      expect.arrayContaining(['node-pty', 'chokidar', 'node:sqlite']),
    )
  })

  it('of the preload script requires only electron, because its sandbox has no packages', () => {
    expect(requiredBelow(join(out, 'preload'))).toEqual([{ file: 'index.cjs', specifier: 'electron' }])
  })

  it('of the window imports only its own files, because a browser cannot resolve packages', async () => {
    const imported = await importedBelow(join(out, 'renderer'))
    const foreign = ({ file, specifier }: Required): boolean =>
      !/^\.\.?\//.test(specifier) || !existsSync(join(out, 'renderer', file, '..', specifier))
    expect(imported.filter(foreign)).toEqual([])
    expect(imported.map(({ specifier }) => specifier)).toContainEqual(expect.stringMatching(/\/MonacoView-[^/]+\.js$/))
  })
})

it('the scripts that the window loads first contain no zod, a fifth of their size', () => {
  const named = (file: string): string[] =>
    [...readFileSync(file, 'utf8').matchAll(/assets\/[\w.-]+\.js/g)].map(([asset]) => asset)
  const first = new Set(named(join(out, 'renderer', 'index.html')))
  const withZod = globSync('assets/*.js', { cwd: join(out, 'renderer') }).filter((file) =>
    readFileSync(join(out, 'renderer', file), 'utf8').includes('ZodString'),
  )
  expect(first.size).toBeGreaterThan(0)
  expect(withZod).not.toEqual([])
  expect(withZod.filter((file) => first.has(file))).toEqual([])
})

it('the scripts of a window with the chat panel have at most 245 KB', () => {
  const assets = join(out, 'renderer', 'assets')
  const files = new Set(globSync('{index,rolldown-runtime,ChatPanel}-*.js', { cwd: assets }))
  // A set also visits what is added during the loop.
  for (const file of files)
    for (const [, imported = ''] of readFileSync(join(assets, file), 'utf8').matchAll(
      /(?:from|import)"\.\/([\w.-]+\.js)"/g,
    ))
      files.add(imported)
  expect([...files]).toContainEqual(expect.stringMatching(/^ChatPanel-/))
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(assets, file))).length, 0)
  expect(bytes / 1024).toBeLessThanOrEqual(245)
})

describe('finding the imports of a built file', () => {
  it.each([
    ['import a from "planted"', ['planted']],
    ['export { a } from "planted"', ['planted']],
    ['export * from "planted"', ['planted']],
    ['const a = await import("planted")', ['planted']],
    ['let a = require("planted")', ['planted']],
    ['const require2 = make(); require2("planted")', ['planted']],
    ['const a = __require("planted")', ['planted']],
    [
      'import { createRequire } from "node:module"; createRequire(import.meta.url)("planted")',
      ['node:module', 'planted'],
    ],
    ['require.resolve("planted/package.json")', ['planted/package.json']],
    ['import.meta.resolve("planted")', ['planted']],
    ['const { a } = process.getBuiltinModule("planted")', ['planted']],
    ['require(`planted`), import(`planted/${a}`)', ['planted']],
    ['// require("planted")\nconst text = "import \'planted\'"', []],
  ])('%s', (source, found) => expect(requiredBy(source)).toEqual(found))

  it('the lexer finds imports and require calls in a file of the window, and ignores strings that look like them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tizona-build-'))
    try {
      writeFileSync(
        join(folder, 'a.js'),
        'import a from "one"; export * from "two"; const b = import("./three.js"); c(require("four")); const d = "import \'five\'"; import(`${d}`); x.require("six")',
      )
      expect((await importedBelow(folder)).map(({ specifier }) => specifier)).toEqual([
        'one',
        'two',
        './three.js',
        'four',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('an undeclared package and a missing chunk are violations', () => {
    const planted = ['vitest', '@types/node', './chunks/gone.js']
    const declared = ['@vscode/ripgrep', 'zod/v4', 'node:fs', 'electron', './index.js']
    const folder = mkdtempSync(join(tmpdir(), 'tizona-build-'))
    try {
      writeFileSync(
        join(folder, 'index.js'),
        [...planted, ...declared].map((specifier) => `import ${JSON.stringify(specifier)}`).join('\n'),
      )
      expect(
        requiredBelow(folder)
          .filter(missing)
          .map(({ specifier }) => specifier),
      ).toEqual(planted)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
