import { expect, it } from 'vitest'
import { tidyWhitespace } from './formatting.ts'

const both = { trimTrailingWhitespace: true, insertFinalNewline: true }

it('removes spaces and tabs at the ends of lines and adds a line break at the end', () => {
  expect(tidyWhitespace('a  \n\tb\t\n\nc', both)).toBe('a\n\tb\n\nc\n')
  expect(tidyWhitespace('', both)).toBe('')
})

it('keeps the whitespace of lines in which the user types', () => {
  expect(tidyWhitespace('a  \nb  \n', both, new Set([2]))).toBe('a\nb  \n')
})

it('changes nothing that no rule names, and removes line breaks at the end on request', () => {
  expect(tidyWhitespace('a  \n\n', { trimTrailingWhitespace: false, insertFinalNewline: undefined })).toBe('a  \n\n')
  expect(tidyWhitespace('a\n\n', { trimTrailingWhitespace: false, insertFinalNewline: false })).toBe('a')
})
