import { expect, it } from 'vitest'
import { failureForUser } from './errors.ts'

it.each([
  ['Ask the user to install git.', 'Install git.'],
  [
    'Use a smaller repository, or ask the user to run git in a terminal.',
    'Use a smaller repository, or run git in a terminal.',
  ],
  ['Ask the user for a copy without a password.', 'Use a copy without a password.'],
  ['Set "path". If needed, ask the user to open that folder.', 'Set "path". If needed, open that folder.'],
  ['Convert it, for example with: iconv -f LATIN1', 'Convert it, for example with: iconv -f LATIN1'],
])('a failure for the user does not ask to ask the user: %s', (next, expected) => {
  expect(failureForUser({ code: 'io_error', message: 'm', next }).next).toBe(expected)
})
