import { expect, it } from 'vitest'
import { looksLikePrompt, waitsForInput } from './inputDetection.ts'

const at = (lastLine: string, fullScreen = false) => ({ lastLine, fullScreen })

it.each([
  'Name: ',
  'package name: (demo) [y/N] ',
  'Continue? ',
  'Are you sure you want to continue (yes/no/[fingerprint])? ',
  '>>> ',
  'Proceed (y/n) ',
  'Password:',
  '[Y/n]',
])('%j looks like a question', (line) => expect(looksLikePrompt(line)).toBe(true))

it.each(['', 'Compiling demo v0.1.0', 'Downloading 50%', '[ 12%] Building C object', 'waiting...', '=====', '[3/20]'])(
  '%j does not look like a question',
  (line) => expect(looksLikePrompt(line)).toBe(false),
)

it('a blocked read of the terminal counts after a short silence', () => {
  expect(waitsForInput('reading', 100, at(''))).toBe(false)
  expect(waitsForInput('reading', 700, at(''))).toBe(true)
})

it('without information from the system, only a question or a full screen counts', () => {
  for (const activity of ['unknown', 'polling'] as const) {
    expect(waitsForInput(activity, 60_000, at('Compiling'))).toBe(false)
    expect(waitsForInput(activity, 1000, at('Name: '))).toBe(false)
    expect(waitsForInput(activity, 1500, at('Name: '))).toBe(true)
    expect(waitsForInput(activity, 1500, at('', true))).toBe(true)
  }
})

it('a busy program does not count as waiting, even if it is silent', () => {
  expect(waitsForInput('busy', 600_000, at('Name: '))).toBe(false)
})

it('a program that listens for keys counts as waiting after a silence, which is shorter at a question', () => {
  expect(waitsForInput('listening', 700, at('Name: '))).toBe(true)
  expect(waitsForInput('listening', 700, at(''))).toBe(false)
  expect(waitsForInput('listening', 2500, at(''))).toBe(true)
})
