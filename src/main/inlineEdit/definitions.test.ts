import { expect, it } from 'vitest'
import type { CodeIndex, DefinitionResult, TextPosition } from '../code/codeIndex.ts'
import { definitionsFor } from './definitions.ts'

const never = new AbortController().signal

/** Returns an index that knows these definitions by the place of a name. */
function indexOf(known: Readonly<Record<string, { path: string; resolved?: boolean; doc?: string }>>) {
  const asked: TextPosition[] = []
  const definition: CodeIndex['definition'] = async (place) => {
    asked.push(place)
    const found = known[`${place.line}:${place.column}`]
    if (!found) return null
    const { path, resolved = true, doc = '' } = found
    const target = { path, name_line: 2, signature: 'function price(count: number): number', doc }
    // Only the fields that the code reads.
    return { resolved, targets: [target] } as DefinitionResult
  }
  return { code: { definition }, asked }
}

const edit = { path: 'a.ts', selection: ['const total = price(2)', '  total + tax'], line: 3 }

it('describes the definitions of names in other files, once, with the first line of the comment', async () => {
  const { code, asked } = indexOf({
    '3:15': { path: 'b.ts', doc: 'Net price.\nIn euros.' },
    '3:7': { path: 'a.ts' },
    '4:11': { path: 'b.ts', doc: 'Net price.' },
  })
  expect(await definitionsFor(edit, { code, isReadable: () => true }, never)).toBe(
    'b.ts:2 function price(count: number): number — Net price.',
  )
  // Each name is looked up at its first place.
  expect(asked.map(({ line, column }) => `${line}:${column}`)).toEqual(['3:1', '3:7', '3:15', '4:11'])
})

it('leaves out secret files, and definitions that only have the same name', async () => {
  const { code } = indexOf({ '3:15': { path: '.env' }, '4:11': { path: 'b.ts', resolved: false } })
  expect(await definitionsFor(edit, { code, isReadable: (path) => path !== '.env' }, never)).toBe('')
})

it('gives up when the index is slow or fails, and when the edit is cancelled', async () => {
  const slow: CodeIndex['definition'] = (_place, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const failing: CodeIndex['definition'] = () => Promise.reject(new Error('broken'))
  const isReadable = () => true
  expect(await definitionsFor(edit, { code: { definition: slow }, isReadable, maxMs: 1 }, never)).toBe('')
  expect(await definitionsFor(edit, { code: { definition: failing }, isReadable }, never)).toBe('')
  const cancelled = AbortSignal.abort()
  await expect(definitionsFor(edit, { code: { definition: failing }, isReadable }, cancelled)).rejects.toThrow()
})
