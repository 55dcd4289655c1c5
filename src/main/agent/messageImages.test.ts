import { expect, test } from 'vitest'
import type { Attachment } from '../../shared/attachments.ts'
import type { ChatMessage } from '../model/clients/modelClient.ts'
import { loadImages, namedImages } from './messageImages.ts'

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
  { role: 'user', content: 'see', ...namedImages([picture]) },
]
const store = { read: (id: string) => (id === 'h' ? { mimeType: 'image/png', base64: 'AAAA' } : undefined) }

test('a message without pictures names none', () => {
  expect(namedImages([{ kind: 'file', label: 'a', text: 'x' }])).toEqual({})
})

test('the bytes of a picture come with the request', () => {
  expect(loadImages(messages, store, true)[1]).toEqual({
    role: 'user',
    content: 'see',
    images: [{ id: 'h', label: 'a.png', mimeType: 'image/png', data: 'AAAA' }],
  })
})

test('a model that cannot see is told of the picture in words, and one that is gone is no failure', () => {
  expect(loadImages(messages, store, false)[1]).toEqual({
    role: 'user',
    content: 'see\n\n[The picture "a.png" is not shown: this model cannot see.]',
  })
  expect(loadImages(messages, { read: () => undefined }, true)[1]).toEqual({
    role: 'user',
    content: 'see\n\n[The picture "a.png" is not kept any more.]',
  })
})
