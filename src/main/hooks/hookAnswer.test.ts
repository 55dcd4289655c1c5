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
