import { expect, it } from 'vitest'
import { seededRandom } from '../testing/longForm.ts'
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

it('keeps any bytes, and decodes the valid sequences among them', () => {
  const random = seededRandom()
  const pieces = ['a', 'é', '€', '😀', '\u{10ffff}'].map((text) => Buffer.from(text))
  const invalid = [[0x80], [0xc0, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff]]
  for (let round = 0; round < 500; round += 1) {
    const parts = Array.from({ length: 8 }, () =>
      random.integer(2) === 0 ? random.pick(pieces) : Buffer.from(random.pick(invalid)),
    )
    const bytes = Buffer.concat(parts).subarray(0, 20 - random.integer(10))
    const text = decodeGitText(bytes)
    expect(encodeGitText(text)).toEqual(bytes)
    // A valid sequence is one character, and every other byte is a lone surrogate.
    expect(Array.from(text).filter((character) => !character.isWellFormed()).length).toBe(
      bytes.toString('latin1').length -
        Buffer.byteLength(
          Array.from(text)
            .filter((each) => each.isWellFormed())
            .join(''),
        ),
    )
  }
})
