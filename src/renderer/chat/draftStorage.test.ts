import { beforeEach, expect, it } from 'vitest'
import { setDraft, useChatView } from './chatViewStore.ts'
import { addElement, addMention, addPicture, attachmentsOf, useDraftAttachments } from './composer/draftAttachments.ts'
import { restoreDrafts, storedDrafts } from './draftStorage.ts'

beforeEach(() => {
  useChatView.setState({ drafts: {} })
  useDraftAttachments.setState({ byConversation: {} })
})

it('drafts with their attachments are the same after they were stored', () => {
  setDraft('c1', 'look at @a.ts')
  addMention('c1', '@a.ts')
  addPicture('c2', { kind: 'image', label: 'shot.png', id: 'i', mimeType: 'image/png', width: 1, height: 1, size: 1 })
  setDraft('c3', ' ')
  const stored = JSON.parse(JSON.stringify(storedDrafts())) as ReturnType<typeof storedDrafts>
  expect(Object.keys(stored).toSorted()).toEqual(['c1', 'c2'])
  setDraft('c4', 'of another folder')
  restoreDrafts(stored)
  expect(useChatView.getState().drafts).toEqual({ c1: 'look at @a.ts', c2: '' })
  expect(attachmentsOf('c1').chosen).toEqual(['@a.ts'])
  expect(attachmentsOf('c2').pictures).toHaveLength(1)
})

it('a draft gets at most eight elements of a page', () => {
  const add = (id: string) => addElement('c1', { id, label: 'button', text: 'Selector: b', note: '' })
  for (let index = 0; index < 8; index += 1) add(String(index))
  expect(() => add('8')).toThrow('A message can have at most 8 elements of a page.')
  expect(attachmentsOf('c1').elements).toHaveLength(8)
})

it('drafts that are too long together leave out the longest', () => {
  setDraft('long', 'x'.repeat(199_990))
  setDraft('short', 'y'.repeat(20))
  expect(Object.keys(storedDrafts())).toEqual(['short'])
})
