import { expect, it } from 'vitest'
import type { HookEvent } from '../../shared/tools/hooks.ts'
import { readHookAnswer } from './hookAnswer.ts'

const read = (event: HookEvent, output: string) => readHookAnswer(event, { exitCode: 0, output, errors: '' })

it.each([
  { permissionDecision: 'deny' },
  { block: true },
  { ok: false },
  { hookSpecificOutput: { decision: 'block' } },
  { hookSpecificOutput: { hookEventName: 'PreToolUse', decision: 'block' } },
  { hookSpecificOutput: { permission: 'deny' } },
  { reason: 'Frozen.', permissionDecision: 'deny' },
])('%o decides nothing, so it is broken', (value) => {
  const { hookSpecificOutput: own } = value as { hookSpecificOutput?: object }
  expect(read('PreToolUse', JSON.stringify(value))).toMatchObject({ kind: 'broken' })
  if (!own || !('hookEventName' in own))
    expect(read('UserPromptSubmit', JSON.stringify(value))).toMatchObject({ kind: 'broken' })
  // After a call there is nothing to decide.
  if (!own) expect(read('PostToolUse', JSON.stringify(value))).toMatchObject({ kind: 'pass' })
})

it.each([
  {},
  { continue: true },
  { systemMessage: 'x' },
  { suppressOutput: true },
  { hookSpecificOutput: { hookEventName: 'PreToolUse' } },
  { hookSpecificOutput: { permissionDecision: 'allow', later: 1 } },
])('%o lets a call pass', (value) => {
  expect(read('PreToolUse', JSON.stringify(value))).toMatchObject({ kind: 'pass' })
})

it('plain text may begin like JSON where it is text for the model', () => {
  const text = '[12:00] branch main'
  for (const event of ['UserPromptSubmit', 'SessionStart'] as const)
    expect(read(event, text)).toEqual({ kind: 'pass', reason: '', context: text })
  expect(read('UserPromptSubmit', '42')).toMatchObject({ kind: 'pass', context: '42' })
  expect(read('Stop', text)).toEqual({ kind: 'pass', reason: '' })
  expect(read('PreToolUse', text)).toMatchObject({ kind: 'broken', reason: expect.stringContaining('not JSON') })
  expect(read('SessionStart', '{main} is ahead')).toMatchObject({ kind: 'pass', context: '{main} is ahead' })
  // Half of an answer could be a refusal.
  for (const event of ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const)
    expect(read(event, '{"decision": "blo')).toMatchObject({ kind: 'broken' })
  expect(read('UserPromptSubmit', '["x"]')).toMatchObject({ kind: 'broken' })
})
