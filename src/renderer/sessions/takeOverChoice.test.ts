import { expect, it } from 'vitest'
import type { SessionFileDiff } from '../../shared/git/sessionRequests.ts'
import { choiceOf, chosenFiles, initialChoice, toggleFile, toggleHunk } from './takeOverChoice.ts'

const hunk = { oldStart: 1, newStart: 1, section: '', lines: [] }
const file = (path: string, more: Partial<SessionFileDiff> = {}): SessionFileDiff => ({
  path,
  change: 'modified',
  isProtected: false,
  revision: `revision of ${path}`,
  hunks: [hunk, hunk],
  divisible: true,
  added: 2,
  removed: 2,
  executable: null,
  lineEnds: null,
  binary: false,
  link: null,
  ...more,
})

const text = file('a.txt')
const binary = file('b.bin', { hunks: [], divisible: false })
const secret = file('.env', { isProtected: true })
const link = file('link', { hunks: [], divisible: false, link: { target: '/etc/passwd', leadsOutside: true } })

it('chooses all but protected files and links that lead outside', () => {
  const files = [text, binary, secret, link]
  expect(chosenFiles(files, initialChoice(files))).toEqual([
    { path: 'a.txt', revision: 'revision of a.txt', hunks: null },
    { path: 'b.bin', revision: 'revision of b.bin', hunks: null },
  ])
})

it('names the chosen hunks of a file, and leaves out a file without any', () => {
  const one = toggleHunk(text, 0, initialChoice([text]))
  expect(choiceOf(text, one)).toBe('some')
  expect(chosenFiles([text], one)).toEqual([{ path: 'a.txt', revision: 'revision of a.txt', hunks: [1] }])
  expect(chosenFiles([text], toggleHunk(text, 1, one))).toEqual([])
})

it('a file with some hunks becomes chosen as a whole, then not at all', () => {
  const some = toggleHunk(text, 0, initialChoice([text]))
  const all = toggleFile(text, some)
  expect(choiceOf(text, all)).toBe('all')
  expect(choiceOf(text, toggleFile(text, all))).toBe('none')
  expect(choiceOf(binary, toggleFile(binary, new Map()))).toBe('all')
})
