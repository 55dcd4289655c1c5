import { expect, it } from 'vitest'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { diffOf } from '../../edit/editRunner.ts'
import { diffContent } from './diffContent.ts'
import { permissionRequest } from './permissions.ts'

const never = new AbortController().signal

it('has the old and the new text of each change', async () => {
  const diff = await diffOf('a.txt', 'one\ntwo', 'one\nTWO', never)
  expect(diffContent('/w', diff)).toEqual([
    { type: 'diff', path: expect.stringMatching(/a\.txt$/), oldText: 'one\ntwo', newText: 'one\nTWO' },
  ])
})

it('says what a truncated diff leaves out, also in a permission request with its note', async () => {
  const text = Array.from({ length: 20_000 }, (_, line) => `line ${line} ${'x'.repeat(60)}\n`).join('')
  const diff = await diffOf('a.txt', null, `${text}hidden()\n`, never)
  const left = {
    type: 'content',
    content: {
      type: 'text',
      text: expect.stringMatching(/^a\.txt is not shown completely: [\d,]+ more lines not shown\.$/),
    },
  }
  expect(diffContent('/w', diff)).toEqual([expect.objectContaining({ type: 'diff' }), left])
  const files: FileDiff[] = [diff]
  const { toolCall } = permissionRequest(
    's',
    {
      id: 'r',
      callId: 'c',
      tool: 'write_file',
      title: 'Write file',
      risk: 'write',
      mode: 'safe',
      reason: 'It changes files.',
      destructive: [],
      arguments: {},
      grantable: { exact: false, prefix: false },
      preview: { kind: 'diff', files, note: 'The file has unsaved changes.' },
      requestedAt: 1,
    },
    { root: '/w' },
  )
  expect(toolCall.content?.slice(1)).toEqual([
    left,
    { type: 'content', content: { type: 'text', text: 'The file has unsaved changes.' } },
    { type: 'content', content: { type: 'text', text: 'It changes files. Risk: write.' } },
  ])
})

it('a permission to debug shows the command and where the program would stop', () => {
  const { toolCall } = permissionRequest(
    's',
    {
      id: 'r',
      callId: 'c',
      tool: 'debug_start',
      title: 'Start debugging',
      risk: 'execute',
      mode: 'safe',
      reason: 'It runs a command.',
      destructive: [],
      arguments: {},
      command: 'python3 main.py',
      cwd: '.',
      grantable: { exact: false, prefix: false },
      preview: { kind: 'page', text: 'Breakpoints:\nmain.py:3 if name == "x"' },
      requestedAt: 1,
    },
    { root: '/w' },
  )
  expect(toolCall.kind).toBe('execute')
  const texts = toolCall.content?.map((each) =>
    each.type === 'content' && 'text' in each.content ? each.content.text : '',
  )
  expect(texts).toEqual([
    'python3 main.py\n(in .)',
    'Breakpoints:\nmain.py:3 if name == "x"',
    'It runs a command. Risk: execute.',
  ])
})
