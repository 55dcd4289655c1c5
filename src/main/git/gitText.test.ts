import { expect, it } from 'vitest'
import { decodeGitText, encodeGitText } from './gitText.ts'

it.each([
  ['plain', Buffer.from('a/b')],
  ['UTF-8', Buffer.from('señal 😀')],
  ['Latin-1', Buffer.from([0x63, 0xe9, 0x2f, 0xff])],
  ['a mix', Buffer.concat([Buffer.from('é'), Buffer.from([0xe2, 0x82]), Buffer.from('😀'), Buffer.from([0xf0, 0x9f])])],
  ['an encoded surrogate', Buffer.from([0xed, 0xb3, 0xa9])],
])('keeps the bytes of %s', (_, bytes) => {
  expect(encodeGitText(decodeGitText(bytes))).toEqual(bytes)
})

it('decodes valid UTF-8 as it is', () => {
  expect(decodeGitText(Buffer.from('señal'))).toBe('señal')
})
