import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  answerReserve,
  assumedWindow,
  maxInstructionCharacters,
  maxAttachmentCharacters,
  promptProfile,
} from '../../../shared/agent/contextAllocation.ts'

const source = fileURLToPath(new URL('../../..', import.meta.url))

describe('the context window is allocated in one file', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\//.test(path))
    .filter((path) => path !== 'shared/agent/contextAllocation.ts')
  const matches = (paths: readonly string[], pattern: RegExp) =>
    paths.flatMap((path) =>
      readFileSync(join(source, path), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )

  test('no other file falls back to a number of its own when the window is unknown', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(matches(files, /[wW]indow\w*\)? *(?:\?\?|\|\|) *[1-9]/)).toEqual([])
  })

  test('no other file of the agent and of the models contains a common context size', () => {
    const ours = files.filter((path) => /^main\/(?:agent|model|playback)\//.test(path))
    expect(ours.length).toBeGreaterThan(80)
    expect(matches(ours, /\b(?:4_?096|8_?192|16_?384|32_?768|65_?536|131_?072)\b/)).toEqual([])
  })
})

test('an unknown context size is treated like the assumed one', () => {
  expect(maxInstructionCharacters(undefined)).toBe(maxInstructionCharacters(assumedWindow))
  expect(maxAttachmentCharacters(undefined)).toBe(maxAttachmentCharacters(assumedWindow))
})

test('reserves an eighth of the window for the answer, within bounds', () => {
  expect([512, 8_192, 131_072].map(answerReserve)).toEqual([256, 1_024, 4_096])
})

test('a chosen profile wins over the one that fits the window, and the conversation over the settings', () => {
  expect(promptProfile(undefined, 'auto', 8_192)).toBe('compact')
  expect(promptProfile(undefined, 'full', 8_192)).toBe('full')
  expect(promptProfile('minimal', 'full', 8_192)).toBe('minimal')
  expect(promptProfile('auto', 'full', 8_192)).toBe('compact')
})
