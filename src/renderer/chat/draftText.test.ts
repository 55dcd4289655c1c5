import { beforeEach, expect, it } from 'vitest'
import { newDraft, setDraft, useChatView } from './chatViewStore.ts'
import { addTextToDraft, suggestMessage } from './draftText.ts'

const draft = () => useChatView.getState().drafts[newDraft]
beforeEach(() => setDraft(newDraft, ''))

it('adds the text of a program to the draft as a block that its backticks cannot end', () => {
  setDraft(newDraft, 'Why?')
  addTextToDraft({ heading: 'From the terminal `bash`', text: 'a\n```\nb' })
  expect(draft()).toBe('Why?\n\nFrom the terminal `bash`:\n\n````\na\n```\nb\n````\n\n')
})

it('keeps whole lines at the end of a long text, and says so', () => {
  addTextToDraft({ heading: 'Output', text: `${'x'.repeat(20_000)}\n${'line\n'.repeat(10)}end` })
  expect(draft()).toMatch(/^Output \(truncated\):\n\n```\nline\n/)
  expect(draft()).toMatch(/end\n```\n\n$/)
})

it('a suggestion fills an empty field, replaces an untouched suggestion, and never the words of the user', () => {
  suggestMessage('Explain it')
  expect(draft()).toBe('Explain it')
  suggestMessage('Find the fault')
  expect(draft()).toBe('Find the fault')
  setDraft(newDraft, 'Find the fault in a.ts')
  suggestMessage('Explain it')
  expect(draft()).toBe('Find the fault in a.ts\n\nExplain it')
  suggestMessage('Find the fault')
  expect(draft()).toBe('Find the fault in a.ts\n\nFind the fault')
})
