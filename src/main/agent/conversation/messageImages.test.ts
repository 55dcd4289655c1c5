import { expect, test } from 'vitest'
import type { Attachment } from '../../../shared/agent/attachments.ts'
import type { ChatMessage } from '../../model/modelClient.ts'
import { loadImages, imageReferences } from './messageImages.ts'

const picture: Attachment = {
  kind: 'image',
  label: 'a.png',
  id: 'h',
  mimeType: 'image/png',
  width: 1,
  height: 1,
  size: 3,
}
const messages: ChatMessage[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'see', ...imageReferences([picture]) },
]
const store = { read: (id: string) => (id === 'h' ? { mimeType: 'image/png', base64: 'AAAA' } : undefined) }

test('a message without images has no image list', () => {
  expect(imageReferences([{ kind: 'file', label: 'a', text: 'x' }])).toEqual({})
})

test('requests contain the bytes of images', () => {
  expect(loadImages(messages, store, true)[1]).toEqual({
    role: 'user',
    content: 'see',
    images: [{ id: 'h', label: 'a.png', mimeType: 'image/png', data: 'AAAA' }],
  })
})

test('a note replaces an image for models without image support, and a deleted image is not a failure', () => {
  expect(loadImages(messages, store, false)[1]).toEqual({
    role: 'user',
    content: 'see\n\n[The image "a.png" is not shown: this model does not support images.]',
  })
  expect(loadImages(messages, { read: () => undefined }, true)[1]).toEqual({
    role: 'user',
    content: 'see\n\n[The image "a.png" is no longer stored.]',
  })
})
