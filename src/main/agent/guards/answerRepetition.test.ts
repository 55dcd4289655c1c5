import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isLongForm, seededRandom } from '../../testing/longForm.ts'
import { createRepetitionDetector, type AnswerRepetition } from './answerRepetition.ts'

/** Characters after its first repetition in which each recording is detected. */
const within = 2_100

/** Streams a text in chunks like tokens. @returns the repetition and the characters read until then */
function stream(text: string, size = 5): (AnswerRepetition & { read: number }) | undefined {
  const detector = createRepetitionDetector()
  for (let at = 0; at < text.length; at += size) {
    const found = detector.push(text.slice(at, at + size))
    if (found) return { ...found, read: at + size }
  }
  return undefined
}

// Answers of SmolLM2-135M-Instruct (Q4_1) at llama-server b11434, temperature 0.
const recordings = join(import.meta.dirname, 'runaway')

describe('a recorded answer that repeats itself', () => {
  test.each(readdirSync(recordings))('%s is detected', (name) => {
    const text = readFileSync(join(recordings, name), 'utf8')
    const found = stream(text)
    expect(found?.keep).toBeGreaterThan(0)
    expect((found?.read ?? Infinity) - (found?.keep ?? 0)).toBeLessThan(within)
    for (const size of [1, 64]) expect(stream(text, size)?.keep).toBe(found?.keep)
  })
})

test.each([
  ['a word', 'no way out, '],
  ['a sentence', 'The secret word is: The secret word is: '],
  [
    'a paragraph of 150 words',
    `${Array.from({ length: 150 }, (_, index) => `word${'abcdefghij'[index % 10]}${'klmnopqrstuvwxyz'[Math.floor(index / 10)]}`).join(' ')}.\n\n`,
  ],
  ['words without spaces', '秘密の言葉は'],
])('%s that is repeated is detected, and once kept', (_, period) => {
  const found = stream(`Well. ${period.repeat(400)}`)
  expect(found?.keep).toBeLessThanOrEqual('Well. '.length + period.length + 1)
})

test('sentences that differ only in a number or a word are detected', () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `Now we check whether ${index} is a divisor of it.`)
  expect(stream(numbers.join(' '))).toBeDefined()
  const names = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Flo', 'Gus', 'Hal'].map(
    (name) => `${name} went to the old house by the sea.`,
  )
  expect(stream([...names, ...names, ...names].join('\n\n'))).toBeDefined()
})

test.each([
  ['a table', Array.from({ length: 200 }, (_, index) => `| ${index} | open | Berlin | ${index * 7} |`).join('\n')],
  [
    'a log',
    Array.from({ length: 200 }, (_, index) => `2026-01-01 12:00:${index} INFO GET /users/${index} 200 in 12 ms`).join(
      '\n',
    ),
  ],
  ['an array', `[${Array.from({ length: 400 }, () => '0').join(', ')}]`],
  ['imports', Array.from({ length: 200 }, (_, index) => `import { name${index} } from './name${index}.ts'`).join('\n')],
])('%s passes', (_, text) => {
  expect(stream(text)).toBeUndefined()
})

const root = join(import.meta.dirname, '../../../..')
const isText = /\.(?:[cm]?[jt]sx?|json|md|css|html|svg|ya?ml|txt|csv|py|map)$/

/** Chooses files of the repository and its packages, of each kind alike. */
function realFiles(count: number): string[] {
  const random = seededRandom(7)
  const byKind = new Map<string, string[]>()
  const roots = ['src', 'docs', 'e2e', 'bench', 'node_modules']
  for (const folder of roots)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!isText.test(name) || name.includes('runaway')) continue
      const kind = `${folder}${extname(name)}`
      const files = byKind.get(kind) ?? []
      files.push(join(folder, name))
      byKind.set(kind, files)
    }
  const kinds = [...byKind.values()].map((files) => files.toSorted())
  const chosen = new Set<string>()
  for (let round = 0; chosen.size < count && round < count; round++)
    for (const files of kinds) if (chosen.size < count) chosen.add(random.pick(files))
  return [...chosen]
}

test('no real file is taken for a repetition', () => {
  const alarms: string[] = []
  const files = realFiles(isLongForm ? 1_000 : 220)
  for (const name of files) {
    const found = stream(readFileSync(join(root, name), 'utf8').slice(0, isLongForm ? 100_000 : 8_000), 16)
    if (found) alarms.push(name)
  }
  expect(files.length).toBeGreaterThanOrEqual(200)
  expect(alarms).toEqual([])
})
