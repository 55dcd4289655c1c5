import { expect, test } from 'vitest'
import { createSeenCodeRing } from './seenCode.ts'

const text = (name: string, changed = -1) =>
  Array.from({ length: 64 }, (_, at) => `const ${name}${at} = ${at === changed ? 'changed' : at}`).join('\n')
const elsewhere = { path: 'x.ts', before: '', after: '' }

test('chunks keep their order, and near duplicates replace each other', () => {
  const ring = createSeenCodeRing()
  ring.add({ path: 'a.ts', text: text('a') })
  ring.add({ path: 'b.ts', text: text('b') })
  ring.add({ path: 'a.ts', text: text('a') })
  expect(ring.chunks(elsewhere).map(({ path }) => path)).toEqual(['a.ts', 'b.ts'])
  ring.add({ path: 'a.ts', text: text('a', 5) })
  expect(ring.chunks(elsewhere)).toEqual([
    { path: 'b.ts', text: text('b') },
    { path: 'a.ts', text: text('a', 5) },
  ])
})

test('a full ring removes several chunks at once, so that the start of the prompt changes rarely', () => {
  const ring = createSeenCodeRing()
  const starts: (string | undefined)[] = []
  for (let at = 0; at < 24; at += 1) {
    ring.add({ path: `${at}.ts`, text: text(`n${at}_`) })
    starts.push(ring.chunks(elsewhere)[0]?.path)
  }
  expect(new Set(starts).size).toBe(3)
  expect(ring.chunks(elsewhere).length).toBeLessThanOrEqual(16)
})

test('code that the request contains anyway is left out', () => {
  const ring = createSeenCodeRing()
  ring.add({ path: 'a.ts', text: text('a') })
  expect(ring.chunks({ path: 'a.ts', before: text('a'), after: '' })).toEqual([])
  expect(ring.chunks({ path: 'a.ts', before: text('other'), after: '' })).toHaveLength(1)
})

test('chunks of fewer than three lines are ignored', () => {
  const ring = createSeenCodeRing()
  ring.add({ path: 'a.ts', text: 'a\n\nb' })
  expect(ring.chunks(elsewhere)).toEqual([])
})
