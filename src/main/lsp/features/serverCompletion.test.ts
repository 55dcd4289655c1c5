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
      server: { running: () => undefined },
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

it('reads null in a field as no value', async () => {
  // Servers in some languages write every field.
  const nulls = {
    kind: null,
    filterText: null,
    sortText: null,
    insertText: null,
    textEdit: null,
    detail: null,
    documentation: null,
    labelDetails: { detail: null, description: null },
    commitCharacters: null,
    additionalTextEdits: null,
    tags: null,
  }
  const items = [{ label: 'foo', ...nulls }, { label: 'bar' }] as unknown as lsp.CompletionItem[]
  expect((await complete('f', items))?.items).toEqual([{ label: 'foo', kind: 1 }])
  const list = { isIncomplete: null, items, itemDefaults: { editRange: null, commitCharacters: ['.'] } }
  expect(await complete('f', list as unknown as lsp.CompletionList)).toMatchObject({
    items: [{ label: 'foo' }],
    defaults: { commitCharacters: ['.'] },
    incomplete: false,
  })
  const without = { isIncomplete: false, items: null, itemDefaults: null } as unknown as lsp.CompletionList
  expect(await labels('f', without)).toEqual([])
})

it('keeps an item whose label or edit is not as the protocol says', async () => {
  const items = [{ label: 7 }, { label: 'f7', textEdit: { newText: 'f7', range: null } }]
  expect(await labels('7', items as unknown as lsp.CompletionItem[])).toEqual(['7', 'f7'])
})

/** A line that is completed at its end, by servers in their order. The last one may be replaced. */
function asked(...responses: ((line: string) => lsp.CompletionItem[] | lsp.CompletionList | null)[]) {
  let text = ''
  let above = ''
  let count = 0
  let connection = {}
  const running = () => ({ connection })
  const servers = responses.map((respond) => ({ respond, server: { running } }))
  const query: QueryServers = async (path, _method, answer) => {
    for (const { respond, server } of servers) {
      const request = async () => {
        count += 1
        return respond(text)
      }
      const lines = new LineText(`${above}${text}\n`)
      // The feature uses only these.
      const answering = { path, uri: 'file:///a', codec: createPositionCodec(), lines, server, request }
      const list = await answer(answering as unknown as DocumentServer)
      if (list !== null) return list
    }
    return null
  }
  const { completion } = createCompletion(query)
  return {
    restart: () => (connection = {}),
    async ask(
      line: string,
      { path = 'a', before = '', trigger }: { path?: string; before?: string; trigger?: string } = {},
    ) {
      text = line
      above = before
      count = 0
      const list = await completion({ path, line: before === '' ? 1 : 2, column: line.length + 1, trigger })
      return { asked: count, labels: list?.items.map(({ label }) => label) }
    },
  }
}

it('does not ask again while a word that no item matches becomes longer', async () => {
  let isIncomplete = false
  const { ask } = asked(() => ({ isIncomplete, items: named('bar', 'foo') }))
  expect(await ask('z')).toEqual({ asked: 1, labels: ['bar'] })
  expect(await ask('zo')).toEqual({ asked: 0, labels: ['bar'] })
  expect(await ask('zoo')).toEqual({ asked: 0, labels: ['bar'] })
  // Another word, place, file or text may have other items, and so may a shorter word.
  expect(await ask('zo z')).toMatchObject({ asked: 1 })
  expect(await ask('zo')).toMatchObject({ asked: 1 })
  expect(await ask('z')).toMatchObject({ asked: 1 })
  expect(await ask('zo', { path: 'b' })).toMatchObject({ asked: 1 })
  expect(await ask('zoo', { path: 'b', before: 'y\n' })).toMatchObject({ asked: 1 })
  expect(await ask('zooo', { path: 'b', before: 'y\n', trigger: 'o' })).toMatchObject({ asked: 1 })
  // The list had a match.
  expect(await ask('f')).toEqual({ asked: 1, labels: ['foo'] })
  expect(await ask('fo')).toEqual({ asked: 1, labels: ['foo'] })
  isIncomplete = true
  expect(await ask('z')).toMatchObject({ asked: 1 })
  expect(await ask('zo')).toMatchObject({ asked: 1 })
})

it('asks again when the user requests suggestions for the word that is typed', async () => {
  let names = ['bar']
  const { ask } = asked(() => named(...names))
  await ask('zo')
  expect(await ask('zoo')).toEqual({ asked: 0, labels: ['bar'] })
  names = ['bar', 'zoom']
  expect(await ask('zoo')).toEqual({ asked: 1, labels: ['zoom'] })
})

it('asks again after an empty list, which a server sends that is not ready yet', async () => {
  let names: string[] = []
  const { ask } = asked(() => named(...names))
  expect(await ask('f')).toEqual({ asked: 1, labels: [] })
  names = ['foobar']
  expect(await ask('fo')).toEqual({ asked: 1, labels: ['foobar'] })
})

it('uses a list without a match only for the server and the connection that sent it', async () => {
  const { ask, restart } = asked(
    (line) => (line === 'zo' ? named('zoom') : null),
    () => named('bar'),
  )
  expect(await ask('z')).toEqual({ asked: 2, labels: ['bar'] })
  expect(await ask('zo')).toEqual({ asked: 1, labels: ['zoom'] })
  expect(await ask('x')).toEqual({ asked: 2, labels: ['bar'] })
  expect(await ask('xy')).toEqual({ asked: 1, labels: ['bar'] })
  restart()
  expect(await ask('xyz')).toEqual({ asked: 2, labels: ['bar'] })
})

it('finds a match for an item whose range begins within the word', async () => {
  const { ask } = asked((line) => [
    { label: 'xy' },
    { label: 'pt', textEdit: { range: column(2, line.length), newText: 'pt' } },
  ])
  expect(await ask('10')).toEqual({ asked: 1, labels: ['pt'] })
  expect(await ask('10p')).toEqual({ asked: 1, labels: ['pt'] })
})
