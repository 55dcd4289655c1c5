import { expect, it } from 'vitest'
import type * as lsp from 'vscode-languageserver-protocol'
import { createPositionCodec, LineText } from '../lineText.ts'
import type { DocumentServer, QueryServers } from './featureServer.ts'
import { createCompletion } from './serverCompletion.ts'

const column = (start: number, end = start): lsp.Range => ({
  start: { line: 0, character: start },
  end: { line: 0, character: end },
})

/** Completes at the end of a line. */
async function complete(line: string, response: lsp.CompletionItem[] | lsp.CompletionList) {
  const query: QueryServers = (_path, _method, answer) => {
    // The feature uses only these.
    const server = {
      uri: 'file:///a',
      codec: createPositionCodec(),
      lines: new LineText(line),
      request: async () => response,
    }
    return answer(server as unknown as DocumentServer)
  }
  return createCompletion(query).completion({ path: 'a', line: 1, column: line.length + 1 })
}

const labels = async (line: string, response: lsp.CompletionItem[] | lsp.CompletionList) =>
  (await complete(line, response))?.items.map(({ label }) => label)

const named = (...names: string[]): lsp.CompletionItem[] => names.map((label) => ({ label }))

it('sends only items that have all letters and digits of the typed word', async () => {
  expect(await labels('x = baR2', named('bar', 'Bar2', 'b_a_r_2', '2rab', 'foo'))).toEqual(['Bar2', 'b_a_r_2', '2rab'])
  expect(await labels('x = ', named('bar', 'foo'))).toEqual(['bar', 'foo'])
  expect(await labels('foo.ba', named('bar', 'foo'))).toEqual(['bar'])
})

it('uses the text that the server filters by, and the range that it replaces', async () => {
  expect(
    await labels('ab', [
      { label: 'x', filterText: 'cab' },
      { label: 'ab', filterText: 'x' },
    ]),
  ).toEqual(['x'])
  const replaced = (start: number) => ({ label: 'b', textEdit: { range: column(start, 2), newText: 'b' } })
  expect(await labels('ab', [replaced(0), replaced(1)])).toHaveLength(1)
  expect(
    await labels('ab', { isIncomplete: false, items: named('b', 'ab'), itemDefaults: { editRange: column(1, 2) } }),
  ).toEqual(['b', 'ab'])
})

it('keeps items whose letters are not certain', async () => {
  expect(await labels('ka', named('\u212Aa', 'xa'))).toEqual(['\u212Aa'])
  // The server may count the first character as two columns.
  expect(
    await labels('ä ab', { isIncomplete: false, items: named('b'), itemDefaults: { editRange: column(4, 5) } }),
  ).toEqual(['b'])
})

it('sends one item if none matches, so that the editor does not ask its own word lists', async () => {
  expect(await labels('zz', named('a', 'b'))).toEqual(['a'])
  expect(await labels('zz', [])).toEqual([])
})

it('sends what items share once', async () => {
  const item = (label: string, more: Partial<lsp.CompletionItem> = {}): lsp.CompletionItem => ({
    label,
    textEdit: { range: column(0, 1), newText: label },
    commitCharacters: ['.', ','],
    ...more,
  })
  const list = await complete('a', [
    item('ab'),
    item('ac', { commitCharacters: [] }),
    item('ad', { textEdit: { range: column(0, 2), newText: 'ad()' }, insertTextFormat: 2 }),
  ])
  expect(list).toMatchObject({
    defaults: { range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 }, commitCharacters: ['.', ','] },
    items: [
      { label: 'ab', kind: 1 },
      { label: 'ac', kind: 1, commitCharacters: [] },
      { label: 'ad', kind: 1, insertText: 'ad()', snippet: true },
    ],
  })
  expect(Object.keys(list?.items[0] ?? {})).toEqual(['label', 'kind'])
  expect((await complete('a', [item('ab'), { label: 'ae' }]))?.defaults).toEqual({ commitCharacters: ['.', ','] })
})

it('does not ask again while a word that no item matches becomes longer', async () => {
  let text = ''
  let asked = 0
  let isIncomplete = false
  const query: QueryServers = (path, _method, answer) => {
    const request = async () => {
      asked += 1
      return { isIncomplete, items: named('bar', 'foo') }
    }
    // The feature uses only these.
    const server = { path, uri: 'file:///a', codec: createPositionCodec(), lines: new LineText(text), request }
    return answer(server as unknown as DocumentServer)
  }
  const { completion } = createCompletion(query)
  const ask = async (
    line: string,
    { path = 'a', above = 'x\n', trigger }: { path?: string; above?: string; trigger?: string } = {},
  ) => {
    text = `${above}${line}\n`
    asked = 0
    const list = await completion({ path, line: 2, column: line.length + 1, trigger })
    return { asked, labels: list?.items.map(({ label }) => label) }
  }
  expect(await ask('z')).toEqual({ asked: 1, labels: ['bar'] })
  expect(await ask('zo')).toEqual({ asked: 0, labels: ['bar'] })
  expect(await ask('zoo')).toEqual({ asked: 0, labels: ['bar'] })
  // Another word, place, file or text may have other items, and so may a shorter word.
  expect(await ask('zo z')).toMatchObject({ asked: 1 })
  expect(await ask('zo')).toMatchObject({ asked: 1 })
  expect(await ask('z')).toMatchObject({ asked: 1 })
  expect(await ask('zo', { path: 'b' })).toMatchObject({ asked: 1 })
  expect(await ask('zo', { path: 'b', above: 'y\n' })).toMatchObject({ asked: 1 })
  expect(await ask('zoo', { path: 'b', above: 'y\n', trigger: 'o' })).toMatchObject({ asked: 1 })
  // The list had a match.
  expect(await ask('f')).toEqual({ asked: 1, labels: ['foo'] })
  expect(await ask('fo')).toEqual({ asked: 1, labels: ['foo'] })
  isIncomplete = true
  expect(await ask('z')).toMatchObject({ asked: 1 })
  expect(await ask('zo')).toMatchObject({ asked: 1 })
})
