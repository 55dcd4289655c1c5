import { expect, test } from 'vitest'
import { asSentence } from './asSentence.ts'

test.each([
  ['slow down', 'slow down.'],
  ['slow down\n', 'slow down.'],
  ['Slow down.', 'Slow down.'],
  ['Too fast!', 'Too fast!'],
  ['He said "stop."', 'He said "stop."'],
  ['wait (429)', 'wait (429).'],
  ['cut off…', 'cut off…'],
  ['太快了。', '太快了。'],
  ['', ''],
])('%j becomes the sentence %j', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence)
})
