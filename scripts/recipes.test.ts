import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLongForm } from '../src/main/testing/longForm.ts'
import { goEnvironment, typecheckArguments } from './lib/goTools.mjs'

const root = resolve(import.meta.dirname, '..')

const minute = 60_000

interface Block {
  kind: string
  path: string
  text: string
}

/** Code blocks of CONTRIBUTING.md that name a file: a whole file, or a change of one. */
const blocks: Block[] = [
  ...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms),
].map(([, kind = '', path = '', text = '']) => ({ kind, path, text }))

/**
 * Replaces the unchanged and removed lines of a block by its unchanged and added ones. They must be found exactly once.
 */
function applyChange(source: string, change: string): string {
  const lines = change.replace(/\n$/, '').split('\n')
  const kept = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const parts = source.split(kept('+'))
  if (parts.length !== 2) throw new Error(`Found ${parts.length - 1} times:\n${kept('+')}`)
  return parts.join(kept('-'))
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

describe('the recipes of CONTRIBUTING.md, applied to a copy of the sources', () => {
  const copy = mkdtempSync(join(tmpdir(), 'tizona-recipes-'))
  beforeAll(() => {
    for (const name of [
      'src',
      'resources',
      'scripts',
      'e2e',
      'docs',
      'package.json',
      'vitest.config.ts',
      'electron.vite.config.ts',
      'electron-builder.config.ts',
      'playwright.config.ts',
      'tsconfig.base.json',
      'tsconfig.node.json',
      'tsconfig.web.json',
    ])
      cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
    for (const { kind, path, text } of blocks) {
      const file = join(copy, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, kind === 'diff' ? applyChange(readFileSync(file, 'utf8'), text) : text)
    }
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, ...goEnvironment, VITEST: '' },
    })

  it('are seven, each with files to write', () => {
    expect(blocks.filter(({ kind }) => kind === 'diff').map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'src/main/tools/tizona/tizonaTools.ts',
        'src/shared/settings/table/editorSettings.ts',
        'src/main/model/textCalls/dialects.ts',
        'src/main/code/index/languages.ts',
        'src/renderer/platform/editor/editorOptions.ts',
        'src/main/lsp/serverTable.ts',
        'src/main/debug/debuggerTable.ts',
        'src/shared/files/userFileRequests.ts',
      ]),
    )
  })

  it.each(['tsconfig.node.json', 'tsconfig.web.json'])(
    'pass the type check (%s)',
    { timeout: 5 * minute },
    (project) => {
      const { status, stdout } = run(join(root, 'node_modules/typescript/bin/tsc'), ...typecheckArguments(project))
      expect(stdout).toBe('')
      expect(status).toBe(0)
    },
  )

  it('pass their tests', { timeout: 5 * minute }, () => {
    const own = blocks.filter(({ kind, path }) => kind !== 'diff' && path.includes('.test.'))
    expect(own).toHaveLength(5)
    const names = own.flatMap(({ text }) => [...text.matchAll(/^it\('([^']+)'/gm)].map(([, name = '']) => name))
    expect(names).toHaveLength(5)
    const ownFiles = own.map(({ path }) => path)
    const contract = 'src/main/hosts/contract.test.ts'
    const tables = ['src/main/code/tables.test.ts', 'src/main/lsp/findProgram.test.ts']
    // The tables of other languages do not change with a recipe, nor do requests of other subjects.
    const table = ['ini.txt', 'every language', 'every server serves a language']
    const matching = (texts: readonly string[]) => ['--testNamePattern', texts.map(escaped).join('|')]
    const runs = isLongForm
      ? [
          [...ownFiles, contract],
          [...tables, ...matching(table)],
        ]
      : [
          [
            ...ownFiles,
            contract,
            ...tables,
            ...matching([...names, ...table, 'storage.', 'has a row for every request']),
          ],
        ]
    for (const tests of runs) {
      const vitest = join(root, 'node_modules/vitest/vitest.mjs')
      const { status, stdout, stderr } = run(vitest, 'run', '--reporter=dot', '--maxWorkers=1', ...tests)
      expect(status, stdout + stderr).toBe(0)
    }
  })
})

it('a recipe fails if its context is no longer in the file', () => {
  expect(applyChange('a\nb\n', ' a\n+x\n b\n')).toBe('a\nx\nb\n')
  expect(applyChange('a\nb\n', '-a\n+x\n')).toBe('x\nb\n')
  expect(() => applyChange('a\nb\n', ' c\n+x\n')).toThrow('Found 0 times')
  expect(() => applyChange('a\na\n', ' a\n+x\n')).toThrow('Found 2 times')
})
