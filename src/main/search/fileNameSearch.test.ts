import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createFileNameSearch } from './fileNameSearch.ts'
import { pathScore, preparePathQuery } from './pathScore.ts'
import { call } from './testing/searchIn.ts'

describe('ranking', () => {
  const best = (query: string, ...paths: string[]): string[] => {
    const wanted = preparePathQuery(query)
    return paths
      .filter((file) => pathScore(file, wanted) > 0)
      .toSorted((a, b) => pathScore(b, wanted) - pathScore(a, wanted))
  }

  test('ranks whole name, prefix, word starts, substring, subsequence, folders', () => {
    const ranked = ['x/tool.ts', 'x/toolset.ts', 'x/the-open-old-list.ts', 'x/mytool.ts', 'x/t1o1o1l.ts', 'tool/a.ts']
    expect(best('tool', ...ranked.toReversed())).toEqual(ranked)
  })

  test.each([
    ['gws', 'getWorkspaceStructure.ts'],
    ['GetWoStr', 'getWorkspaceStructure.ts'],
    ['rm', 'README.md'],
    ['hs', 'HTTPServer.ts'],
    ['f2', 'file-2.txt'],
    ['src/ma', 'src/main.ts'],
    ['smt', 'src/main.ts'],
    ['src main', 'src/main.ts'],
    ['src\\main', 'src/main.ts'],
  ])('%s finds %s', (query, file) => {
    expect(best(query, file)).toEqual([file])
  })

  test('characters that do not occur in order do not match', () => {
    expect(best('ts.niam', 'src/main.ts')).toEqual([])
  })
})

describe('file names of a workspace', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  beforeEach(async () => {
    folder = await temporaryFolder({
      'src/main.ts': '',
      'src/mail.ts': '',
      '.hidden': '',
      'node_modules/m/main.js': '',
      '.gitignore': 'out\n',
      'out/main.ts': '',
    })
  })
  afterEach(() => folder.remove())

  test('are the same files as in a text search; an empty query returns the first ones', async () => {
    const names = createFileNameSearch(await openWorkspace(folder.root))
    expect(await names.find('main', 10, call.signal)).toEqual(['src/main.ts'])
    expect(await names.find('', 1, call.signal)).toEqual(['src/mail.ts'])
    expect(await names.find('ma', 1, call.signal)).toHaveLength(1)
  })

  test('are read again after a change', async () => {
    const names = createFileNameSearch(await openWorkspace(folder.root))
    await names.find('x', 10, call.signal)
    await writeFile(path.join(folder.root, 'main2.ts'), '')
    names.invalidate()
    expect(await names.find('main2', 10, call.signal)).toEqual(['main2.ts'])
  })

  test('can be searched again after ripgrep failed', async () => {
    const names = createFileNameSearch(await openWorkspace(folder.root), { rgPath: path.join(folder.root, 'rg') })
    for (let i = 0; i < 2; i++)
      await expect(names.find('x', 1, call.signal)).rejects.toMatchObject({ code: 'command_not_found' })
  })

  test('a cancelled query rejects', async () => {
    const names = createFileNameSearch(await openWorkspace(folder.root))
    await expect(names.find('x', 1, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
  })

  test('a search in a hundred thousand names does not block other work', async () => {
    const list = path.join(folder.root, 'many-rg')
    await writeFile(
      list,
      `#!${process.execPath}\nfor (let i = 0; i < 100000; i++) process.stdout.write('./src/pkg' + i + '/fileNumber' + i + '.ts\\0')\n`,
      { mode: 0o755 },
    )
    const names = createFileNameSearch(await openWorkspace(folder.root), { rgPath: list })
    await names.find('warm', 1, call.signal)
    let turns = 0
    let done = false
    const otherWork = (): void => void (done || (turns++, setImmediate(otherWork)))
    setImmediate(otherWork)
    const found = await names.find('fn99999', 5, call.signal)
    done = true
    expect(found[0]).toBe('src/pkg99999/fileNumber99999.ts')
    expect(turns).toBeGreaterThanOrEqual(10)
  })
})
