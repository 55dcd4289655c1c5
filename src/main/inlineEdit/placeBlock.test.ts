import { describe, expect, test } from 'vitest'
import type { LocateCodeBlockParams } from '../../shared/agent/inlineEdit.ts'
import { placeBlock, type BlockSymbol } from './placeBlock.ts'

const text = `import { log } from './log'

/** Adds. */
export function add(a, b) {
  return a + b
}

class Counter {
  next() {
    return this.n++
  }
}
`

/** Finds functions and methods, like the code index. */
async function symbolsOf(source: string): Promise<BlockSymbol[]> {
  const lines = source.split('\n')
  return lines.flatMap((line, index) => {
    const [, indent = '', name] = /^( *)(?:export )?(?:function |class )?(\w+)(?:\(.*\))? \{$/.exec(line) ?? []
    if (name === undefined) return []
    const end = lines.findIndex((other, at) => at > index && other === `${indent}}`)
    return end === -1 ? [] : [{ name, line: index + 1, endLine: end + 1 }]
  })
}

function place(code: string, change: Partial<LocateCodeBlockParams> = {}) {
  const params: LocateCodeBlockParams = {
    path: 'a.ts',
    text,
    code,
    language: 'ts',
    selection: null,
    cursor: { start: 2, count: 1 },
    indentation: { tabs: false, size: 2 },
    ...change,
  }
  return placeBlock(params, symbolsOf)
}

describe('a code block replaces', () => {
  test('the selection, with its indentation', async () => {
    expect(await place('return b + a\n', { selection: { start: 5, count: 1 } })).toEqual({
      start: 5,
      count: 1,
      lines: ['  return b + a'],
    })
  })

  test('the definition of the same name', async () => {
    expect(await place('export function add(a, b, c) {\n  return a + b + c\n}\n')).toEqual({
      start: 4,
      count: 3,
      lines: ['export function add(a, b, c) {', '  return a + b + c', '}'],
    })
  })

  test('the comment of the definition as well, if it has one', async () => {
    expect(await place('/** Adds three. */\nexport function add(a, b, c) {\n  return 0\n}\n')).toMatchObject({
      start: 3,
      count: 4,
    })
  })

  test('a method that it shows unindented', async () => {
    expect(await place('next() {\n  return 1\n}')).toEqual({
      start: 9,
      count: 3,
      lines: ['  next() {', '    return 1', '  }'],
    })
  })

  test('lines that begin and end alike in a language without symbols', async () => {
    const ini = 'start = 1\n\n[server]\nport = 1\nhost = a\n\n[other]\n'
    const found = placeBlock(
      {
        path: 'a.ini',
        text: ini,
        code: '[server]\nport = 2\ntls = on\nhost = a',
        language: '',
        selection: null,
        cursor: { start: 1, count: 0 },
        indentation: { tabs: false, size: 2 },
      },
      async () => [],
    )
    expect(await found).toMatchObject({ start: 3, count: 3 })
  })

  test('what a unified diff names', async () => {
    const diff =
      '--- a/a.ts\n+++ b/a.ts\n@@ -4,3 +4,3 @@\n export function add(a, b) {\n-  return a + b\n+  return b + a\n }\n'
    expect(await place(diff, { language: 'diff' })).toEqual({ start: 5, count: 1, lines: ['  return b + a'] })
  })

  test('what SEARCH/REPLACE blocks name', async () => {
    const blocks = '<<<<<<< SEARCH\n  return a + b\n=======\n  return b + a\n>>>>>>> REPLACE\n'
    expect(await place(blocks)).toEqual({ start: 5, count: 1, lines: ['  return b + a'] })
  })

  test('nothing otherwise: it is inserted at the cursor', async () => {
    expect(await place('const one = 1')).toEqual({ start: 2, count: 1, lines: ['const one = 1'] })
  })
})

describe('a code block that omits code', () => {
  test('is an instruction for the model, with the definition', async () => {
    expect(await place('export function add(a, b) {\n  // ... existing code ...\n}\n')).toEqual({
      start: 4,
      count: 3,
      instruction: expect.stringContaining('// ... existing code ...'),
    })
  })

  test('is an instruction for the whole file if it does not name a definition', async () => {
    expect(await place('// ...\nlog(1)\n')).toMatchObject({ start: 1, count: text.split('\n').length - 1 })
  })

  test('is not one with a Python stub', async () => {
    expect(await place('def f():\n    ...\n', { path: 'a.py' })).toHaveProperty('lines')
  })
})

describe('a code block is refused', () => {
  test('if its diff does not match the file', async () => {
    await expect(
      place('--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-nowhere\n+x\n', { language: 'diff' }),
    ).rejects.toMatchObject({
      code: 'no_match',
    })
  })

  test('if the file has its change already', async () => {
    await expect(place('export function add(a, b) {\n  return a + b\n}')).rejects.toMatchObject({ code: 'no_change' })
    const blocks = '<<<<<<< SEARCH\n  return a + b\n=======\n  return a + b\n>>>>>>> REPLACE\n'
    await expect(place(blocks)).rejects.toMatchObject({ code: 'no_change' })
  })

  test('if it is empty', async () => {
    await expect(place('\n')).rejects.toMatchObject({ code: 'invalid_arguments' })
  })
})
