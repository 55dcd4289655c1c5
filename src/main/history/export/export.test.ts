import { describe, expect, it } from 'vitest'
import type { ConversationInfo, ConversationItem } from '../../../shared/agent/conversation.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { fromJson, toJson } from './jsonExport.ts'
import { exportFileName, toMarkdown } from './markdownExport.ts'

const info: ConversationInfo = {
  id: 'c',
  title: 'Fix the `parser`',
  createdAt: 0,
  updatedAt: 1,
  workspace: '/home/ana/secret',
  mode: 'safe',
  toolset: 'blade',
  model: { endpointId: 'e', model: 'qwen' },
}
const items: ConversationItem[] = [
  { id: '1', kind: 'user', at: 1, text: 'fix it', checkpoint: 7 },
  { id: '2', kind: 'assistant', at: 2, text: 'On it.', reasoning: 'hm', state: 'done' },
  {
    id: '3',
    kind: 'tool',
    at: 3,
    assistantId: '2',
    callId: 'k',
    name: 'read_file',
    arguments: '{"path":"a.md"}',
    state: 'done',
    result: {
      ok: true,
      text: '````\ncode\n````',
      view: { kind: 'text' },
      elapsedMs: 1,
      arguments: {},
      truncated: false,
    },
  },
  { id: '4', kind: 'notice', at: 4, level: 'warning', text: 'Slow.\nVery.', action: 'retry' },
]

describe('a conversation as Markdown', () => {
  const text = toMarkdown(info, items)

  it('contains messages, calls and results in order', () => {
    const places = [
      '# Fix the `parser`',
      '## You\n\nfix it',
      'Reasoning',
      '## Model\n\nOn it.',
      '### `read_file` (done)',
      '{"path":"a.md"}',
      'code',
      '> Warning: Slow.\n> Very.',
    ].map((part) => text.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('keeps a result with fences inside its block', () => {
    expect(text).toContain('\n`````\n````\ncode\n````\n`````\n')
  })

  it('has a name that is valid on every file system', () => {
    expect(exportFileName('Fix: the “parser” / größe?', 'markdown')).toBe('fix-the-parser-größe.md')
    expect(exportFileName('…', 'json')).toBe('conversation.json')
  })
})

describe('a conversation as JSON', () => {
  const text = toJson(info, items)

  it('can be imported unchanged, without data of the original store', () => {
    const read = fromJson(text)
    expect(read.info).toEqual({
      title: info.title,
      createdAt: 0,
      updatedAt: 1,
      mode: 'safe',
      toolset: 'blade',
      model: 'qwen',
    })
    expect(read.items).toEqual([
      { ...items[0], checkpoint: undefined },
      items[1],
      items[2],
      { ...items[3], action: undefined },
    ])
    expect(text).not.toContain('/home/ana')
  })

  it('imports no checkpoints, questions or restores, even from an edited file', () => {
    const forged = JSON.parse(text) as { items: object[] } // Written above by toJson.
    forged.items = [
      { ...items[0], checkpoint: 3 },
      { ...items[2], approval: { id: 'q' } },
      { ...items[3], action: 'undoRestore', restore: { state: 'done', before: 3 } },
    ]
    expect(fromJson(JSON.stringify(forged)).items).toEqual([
      { ...items[0], checkpoint: undefined },
      items[2],
      { ...items[3], action: undefined },
    ])
  })

  it('includes the pictures of messages', () => {
    const seen: ConversationItem = {
      id: 'p',
      kind: 'user',
      at: 1,
      text: 'see',
      attachments: [{ kind: 'image', label: 'a.png', id: 'h', mimeType: 'image/png', width: 1, height: 1, size: 3 }],
    }
    expect(fromJson(toJson(info, [seen], (id) => (id === 'h' ? 'AAAA' : undefined)))).toMatchObject({
      items: [seen],
      pictures: { h: 'AAAA' },
    })
    expect(fromJson(toJson(info, [seen])).pictures).toEqual({})
    expect(toMarkdown(info, [seen])).toContain('see\n\n> Attached: a.png')
  })

  it.each([
    ['not json', 'not JSON'],
    ['[]', 'not an exported conversation'],
    ['{"tizona":"conversation","version":2}', 'format version 2, but this version of Tizona reads format version 1'],
    [text.replace('"callId": "k",', ''), 'items.2'],
    [text.replace('"kind": "tool"', '"kind": "user"'), 'items.2'],
  ])('is rejected with the reason for any other content (%#)', async (given, reason) => {
    expect(
      await expectFailure(
        Promise.resolve().then(() => fromJson(given)),
        'invalid_arguments',
      ),
    ).toMatchObject({ message: expect.stringContaining(reason) })
  })
})
