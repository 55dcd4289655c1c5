import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mergeWithMarkers } from './mergeWithMarkers.ts'

const names = { mine: 'folder', other: 'session' }
const merge = (base: string, mine: string, other: string) => mergeWithMarkers(base, mine, other, names)

it('merges separate changes, and shows all three versions of lines that both changed', () => {
  expect(merge('1\n2\n3\n4\n5\n', 'eins\n2\n3\nmine\n5\n', '1\n2\n3\nother\n5\nsechs\n')).toBe(
    'eins\n2\n3\n<<<<<<< folder\nmine\n||||||| base\n4\n=======\nother\n>>>>>>> session\n5\nsechs\n',
  )
})

it('the same change of both sides is no conflict', () => {
  expect(merge('1\n2\n', '1\nzwei\n', '1\nzwei\n')).toBe('1\nzwei\n')
})

it('a file that both created has one conflict, also without a final line break', () => {
  expect(merge('', 'a', 'b\n')).toBe('<<<<<<< folder\na\n||||||| base\n=======\nb\n>>>>>>> session\n')
})

it('has markers of another length than lines of the texts, such as a heading', () => {
  expect(merge('Title\n=======\n1\n', 'Title\n=======\na\n', 'Title\n=======\nb\n')).toBe(
    'Title\n=======\n<<<<<<<< folder\na\n|||||||| base\n1\n========\nb\n>>>>>>>> session\n',
  )
})

it('keeps the line ends of Windows', () => {
  expect(merge('1\r\n', 'a\r\n', 'b\r\n')).toBe(
    '<<<<<<< folder\r\na\r\n||||||| base\r\n1\r\n=======\r\nb\r\n>>>>>>> session\r\n',
  )
})

it('conflicts where git merge-file does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tizona-markers-'))
  const lines = (...changed: [number, string][]) =>
    Array.from({ length: 12 }, (_, index) => `${changed.find(([at]) => at === index)?.[1] ?? index}\n`).join('')
  const texts = {
    mine: lines([1, 'a'], [5, 'b'], [6, 'c'], [11, 'end']),
    base: lines(),
    other: lines([1, 'a'], [6, 'd'], [9, 'e']),
  }
  try {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
    let output = ''
    try {
      const args = [
        'merge-file',
        '-p',
        '--diff3',
        '-L',
        'folder',
        '-L',
        'base',
        '-L',
        'session',
        'mine',
        'base',
        'other',
      ]
      execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
    } catch (error) {
      output = (error as { stdout: string }).stdout
    }
    expect(merge(texts.base, texts.mine, texts.other)).toBe(output)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
