import { expect, test } from 'vitest'
import { chooseChunk } from './chunkChoice.ts'

const chunk = (language: string, count = 20) => ({ language, files: { length: count } })
const languages = (...names: string[]): ReadonlySet<string> => new Set(names)

test('a thread takes files of a language that it has prepared', () => {
  const one = languages('typescript')
  expect(chooseChunk([chunk('python'), chunk('typescript')], one, [one, languages('python')])).toBe(1)
})

test('a thread takes first what few others have prepared, in the order of the files', () => {
  const one = languages('javascript', 'typescript')
  const threads = [one, languages('javascript')]
  expect(chooseChunk([chunk('javascript'), chunk('typescript'), chunk('typescript')], one, threads)).toBe(1)
  expect(chooseChunk([chunk(''), chunk('javascript')], one, threads)).toBe(0)
})

test('a language that no thread has prepared is taken at once', () => {
  expect(chooseChunk([chunk('python', 1)], languages(), [languages(), languages('typescript')])).toBe(0)
})

test('a language of another thread is prepared only for many files', () => {
  const threads = [languages(), languages('python')]
  expect(chooseChunk([chunk('python', 60)], languages(), threads)).toBe(-1)
  expect(chooseChunk([chunk('python', 60), chunk('python', 60)], languages(), threads)).toBe(0)
})

test('files that need no query are read by any thread', () => {
  expect(chooseChunk([chunk('', 1)], languages(), [languages(), languages()])).toBe(0)
})
