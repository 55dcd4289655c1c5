import { expect, it } from 'vitest'
import { describePrompt } from './gitCredentials.ts'

it.each([
  ["Username for 'https://example.org': ", 'user_name', false, 'example.org'],
  ["Password for 'https://ana@example.org:8443/x': ", 'password', true, 'example.org:8443'],
  ["git@example.org's password: ", 'password', true, 'example.org'],
  ["Enter passphrase for key '/home/ana/.ssh/id_ed25519': ", 'passphrase', true, '/home/ana/.ssh/id_ed25519'],
  [
    "The authenticity of host 'example.org (::1)' can't be established.\nContinue (yes/no)? ",
    'confirm',
    false,
    'example.org',
  ],
  ['Enter passphrase: ', 'passphrase', true, null],
  ['Verification code: ', 'other', true, null],
  // Texts of the server, which ssh precedes with the user and the host.
  ["(me@evil) Enter passphrase for key '/home/me/.ssh/id_ed25519': ", 'other', true, 'evil'],
  ["(me@evil) you@bank.example's password: ", 'other', true, 'evil'],
  ["(me@evil) Password for 'https://bank.example': ", 'other', true, 'evil'],
  ["(me@evil) host 'good' (yes/no)? ", 'other', true, 'evil'],
  ["Now type the passphrase for key '/home/me/.ssh/id_ed25519': ", 'other', true, null],
])('a question of git or ssh is understood: %s', (prompt, kind, secret, subject) => {
  expect(describePrompt(prompt)).toEqual({ kind, secret, subject })
})
