import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { showConversation } from '../../platform/conversation/chatStore.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { useChatView } from '../chatViewStore.ts'
import { transcriptMenuGroups, transcriptTarget, type TranscriptTarget } from './transcriptMenu.ts'

const answer: ConversationItem = {
  id: 'a1',
  kind: 'assistant',
  at: 1,
  text: 'First.\n\nSecond.',
  reasoning: '',
  state: 'done',
}

let main: TestMain
const writeText = vi.fn<(text: string) => Promise<void>>(async () => undefined)
beforeEach(() => {
  main = testMain()
  writeText.mockClear()
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  showConversation({
    info: { id: 'c1', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: [answer],
    running: false,
    queue: [],
  })
  useChatView.setState({ drafts: {} })
})
afterEach(() => {
  Reflect.deleteProperty(navigator, 'clipboard')
  document.body.replaceChildren()
})

const itemsOf = (target: TranscriptTarget) => transcriptMenuGroups(target).flatMap(({ items }) => items)
const labels = (target: TranscriptTarget) => itemsOf(target).map(({ label }) => label)
const run = (target: TranscriptTarget, label: string) =>
  itemsOf(target)
    .find((item) => item.label === label)
    ?.run()
const draft = () => useChatView.getState().drafts['c1']

it('offers to copy code only on a code block and a link only on a link', () => {
  expect(labels({ selection: '', item: answer })).toEqual([
    'Copy',
    'Copy message',
    'Copy conversation',
    'Add to message',
  ])
  const onLinkInCode = { selection: '', item: answer, code: { text: 'x', language: '' }, link: 'https://example.org/' }
  expect(labels(onLinkInCode)).toEqual(expect.arrayContaining(['Copy code', 'Copy link']))
})

it('disables items without a selection or message to act on', () => {
  const disabled = itemsOf({ selection: '' }).filter((item) => item.disabled)
  expect(disabled.map(({ label }) => label)).toEqual(['Copy', 'Add to message'])
})

it('copies the Markdown of a message and the whole conversation', async () => {
  run({ selection: '', item: answer }, 'Copy message')
  await expect.poll(() => writeText.mock.lastCall).toEqual(['First.\n\nSecond.'])
  main.responses['conversations.export'] = () => ({ name: 'T.md', text: '# T' })
  run({ selection: '' }, 'Copy conversation')
  await expect.poll(() => writeText.mock.lastCall).toEqual(['# T'])
})

it('adds a message to the draft as a quote, after the existing text', () => {
  useChatView.setState({ drafts: { c1: 'Look:' } })
  run({ selection: '', item: answer }, 'Add to message')
  expect(draft()).toBe('Look:\n\n> First.\n>\n> Second.\n\n')
})

it('adds the selection rather than the message, and code with a fence that the code cannot close', () => {
  run({ selection: 'Second.', item: answer }, 'Add to message')
  expect(draft()).toBe('> Second.\n\n')
  useChatView.setState({ drafts: {} })
  run({ selection: '', item: answer, code: { text: '```\nx\n```', language: 'md' } }, 'Add to message')
  expect(draft()).toBe('````md\n```\nx\n```\n````\n\n')
})

it('reads message and code from the element, and leaves text fields their own menu', () => {
  document.body.innerHTML = `<div class="transcript"><div data-item-id="a1"><p>First.</p>
    <figure class="code-block" data-language="ts"><pre><code>let a = 1
</code></pre></figure><textarea></textarea></div></div>`
  const target = (selector: string) => {
    const [element, transcript] = [document.querySelector(selector), document.querySelector('.transcript')]
    return element && transcript ? transcriptTarget(element, transcript) : undefined
  }
  expect(target('p')).toMatchObject({ item: answer, code: undefined, selection: '' })
  expect(target('code')).toMatchObject({ item: answer, code: { text: 'let a = 1', language: 'ts' } })
  expect(target('textarea')).toBeUndefined()
})
