import { expect, it } from 'vitest'
import { mergeEdits } from './mergeEdits.ts'

const base = 'one\ntwo three four\nfive\nsix\n'

it('merges changes of different lines, of neighboring lines, and of different words of a line', () => {
  expect(mergeEdits(base, 'one!\ntwo three four\nfive\nsix\n', 'one\ntwo three four\nfive\nsix, seven\n')).toEqual({
    text: 'one!\ntwo three four\nfive\nsix, seven\n',
  })
  expect(mergeEdits(base, 'uno\ntwo three four\nfive\nsix\n', 'one\nnew\ntwo three four\nfive\nsix\n')).toEqual({
    text: 'uno\nnew\ntwo three four\nfive\nsix\n',
  })
  expect(mergeEdits(base, 'one\n2 three four\nfive\nsix\n', 'one\ntwo three 4\nfive\nsix\n')).toEqual({
    text: 'one\n2 three 4\nfive\nsix\n',
  })
  expect(mergeEdits(base, 'one\n2\nfive\nsix\n', 'one\n2\nfive\nsix\n')).toEqual({ text: 'one\n2\nfive\nsix\n' })
})

it('shows the lines of a conflict as they are', () => {
  expect(mergeEdits(base, 'one\n2\nfive\nsix\n', 'zero\none\ntwo THREE four\nfive\nsix\n')).toEqual({
    first: 3,
    last: 3,
    lines: 'two THREE four',
  })
  expect(mergeEdits(base, base + 'mine\n', base + 'theirs\nand more\n')).toEqual({
    first: 5,
    last: 6,
    lines: 'theirs\nand more',
  })
  expect(mergeEdits(base, 'one\n2\nfive\nsix\n', 'one\nfive\nsix\n')).toMatchObject({ first: 2 })
})

it('keeps every line of both, in random texts', () => {
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 2000; round += 1) {
    let count = 0
    const line = () => `line ${(count += 1)}\n`
    const lines = Array.from({ length: 8 }, line)
    const edited = () => lines.toSpliced(random(9), random(3), ...Array.from({ length: random(3) }, line))
    const [mine, other] = [edited(), edited()]
    const merged = mergeEdits(lines.join(''), mine.join(''), other.join(''))
    if (!('text' in merged)) continue
    const result = merged.text.match(/.*\n/g) ?? []
    for (const text of [mine, other]) for (const each of text) if (!lines.includes(each)) expect(result).toContain(each)
    for (const each of lines) if (mine.includes(each) && other.includes(each)) expect(result).toContain(each)
  }
})
