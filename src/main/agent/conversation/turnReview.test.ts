import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AssistantItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { call, say, step, waitForGate } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { pending, reviewedFolder, type ReviewedFolder } from '../../review/testing/reviewedFolder.ts'
import { resultText } from './resultText.ts'

let endpoint: ScriptedEndpoint
let folder: ReviewedFolder
beforeEach(async () => {
  const edit = (content: string) => step('edit', call('write_file', { path: 'a.txt', content }))
  endpoint = await startScriptedEndpoint({
    name: 'review',
    turns: [
      {
        prompt: /first/,
        steps: [
          edit('one\n2\n'),
          step('command', call('run_command', { command: 'echo b > b.txt' })),
          step('done', say('Done.')),
        ],
      },
      {
        prompt: /second/,
        steps: [
          edit('one\ntwo\n'),
          step('look', waitForGate('undone'), call('read_file', { path: 'a.txt' })),
          step('done', say('Done again.')),
        ],
      },
    ],
  })
  folder = await reviewedFolder({ 'a.txt': '1\n2\n' }, endpoint.url)
})
afterEach(async () => {
  await folder.remove()
  await endpoint.close()
})

async function itemsOf(id: string) {
  const { items } = await folder.request('conversations.open', { id })
  return {
    messages: items.filter((item) => item.kind === 'user'),
    answers: items.filter((item): item is AssistantItem => item.kind === 'assistant'),
    calls: items.filter((item): item is ToolItem => item.kind === 'tool'),
  }
}

it('a turn ends with the number of files and lines that it changed, and can be reviewed alone, in a fork too', async () => {
  const { info } = await folder.request('conversations.create', {})
  await folder.turn(info.id, 'first')
  const second = folder.turn(info.id, 'second')
  await expect.poll(() => folder.listed(), { timeout: 20_000 }).toContain('a.txt changed +2 -2')
  await folder.request('review.undo', { scope: pending, targets: [{ path: 'b.txt' }] })
  endpoint.release('undone')
  await second
  const { messages, answers, calls } = await itemsOf(info.id)
  const [first, later] = messages.map(({ id }) => id)
  expect(answers.flatMap(({ review }) => review ?? [])).toEqual([
    { files: 2, added: 2, removed: 1, message: first },
    { files: 1, added: 1, removed: 1, message: later },
  ])
  expect(await folder.listed()).toEqual(['a.txt changed +2 -2'])
  const turn = { kind: 'turn', conversation: info.id, message: later ?? '' } as const
  expect(await folder.listed(turn)).toEqual(['a.txt changed +1 -1'])
  const earlier = { conversation: info.id, message: first ?? '' }
  expect(await folder.listed({ kind: 'turn', ...earlier })).toEqual(['a.txt changed +1 -1'])
  expect(await folder.listed({ kind: 'since', ...earlier })).toEqual(['a.txt changed +2 -2'])
  const noted = calls.find(({ reviewNote }) => reviewNote !== undefined)
  expect(noted?.name).toBe('read_file')
  expect(noted && resultText(noted)).toContain('[The user undid your changes in b.txt.')

  const { conversation } = await folder.request('conversations.fork', { id: info.id })
  expect(await folder.listed({ ...turn, conversation: conversation.info.id })).toEqual(['a.txt changed +1 -1'])
  await folder.request('review.undo', { scope: turn, targets: 'all' })
  expect(await folder.read('a.txt')).toBe('one\n2\n')
  expect(await folder.listed({ kind: 'conversation', conversation: info.id })).toEqual(['a.txt changed +1 -1'])
})

it('restoring the files to a message empties its review, and undoing the restore returns it', async () => {
  const { info } = await folder.request('conversations.create', {})
  await folder.turn(info.id, 'first')
  const { messages } = await itemsOf(info.id)
  const listed = await folder.listed()
  const itemId = messages[0]?.id ?? ''
  await folder.request('conversations.restore', { id: info.id, itemId, files: true, conversation: false })
  expect(await folder.listed()).toEqual([])
  const { items } = await folder.request('conversations.open', { id: info.id })
  await folder.request('conversations.undoRestore', { id: info.id, itemId: items.at(-1)?.id ?? '' })
  expect(await folder.listed()).toEqual(listed)
})
