import { expect } from 'vitest'
import { fuzz, textOf } from '../testing/fuzz.ts'
import { foldName, namesOf } from './placeNames.ts'

const paths = textOf([
  '.git',
  '.GIT',
  'git~1',
  'GIT~1',
  '.',
  '..',
  '/',
  '//',
  '\\',
  ':',
  '::$DATA',
  ' ',
  '-',
  '_',
  'A',
  '1',
  '\u200b',
  'İ',
])

fuzz('every path has the folded names between its separators', [paths], (path) => {
  const folded = path.split(/[\\/]+/).map((name) => foldName(name).replace(/^git~\d+$/, '.git'))
  expect(namesOf(path)).toEqual(folded.filter((name) => name !== ''))
})
