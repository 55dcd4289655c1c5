import { expect, it } from 'vitest'
import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { failedTestHint } from './failedTest.ts'

let made = 0
function ran(command: string, exitCode: number): ToolItem {
  made += 1
  const job = {
    id: `job-${made}`,
    kind: 'command',
    command,
    cwd: '.',
    state: 'exited',
    startedAt: 1,
    exitCode,
  } as const
  return {
    id: `t${made}`,
    kind: 'tool',
    at: 0,
    assistantId: 'a',
    callId: `c${made}`,
    name: 'run_command',
    arguments: JSON.stringify({ command }),
    state: 'done',
    result: { ok: true, text: '', view: { kind: 'command', job }, elapsedMs: 1, arguments: {}, truncated: false },
  }
}
const user: ConversationItem = { id: 'u', kind: 'user', at: 0, text: 'go' }
const edit = () => ran('sed -i s/1/2/ a.py', 0)

it.each([
  'pytest tests/test_a.py',
  'python3 -m pytest -x',
  'npx vitest run a',
  'npm test',
  'go test ./...',
  'cargo test total',
])('the second failure of %s after another call names debug_run', (command) => {
  expect(failedTestHint([user, ran(command, 1), edit(), ran(command, 1)])).toContain('debug_run')
})

it.each([
  ['the first failure', () => [user, ran('pytest', 1)]],
  ['a failure without anything in between', () => [user, ran('pytest', 1), ran('pytest', 1)]],
  ['the third failure', () => [user, ran('pytest', 1), edit(), ran('pytest', 1), edit(), ran('pytest', 1)]],
  ['a success', () => [user, ran('pytest', 1), edit(), ran('pytest', 0)]],
  ['another test', () => [user, ran('pytest a', 1), edit(), ran('pytest b', 1)]],
  ['a command that is no test', () => [user, ran('make', 2), edit(), ran('make', 2)]],
  ['failures before the message', () => [ran('pytest', 1), user, edit(), ran('pytest', 1)]],
])('%s does not', (_what, items) => {
  expect(failedTestHint(items())).toBeUndefined()
})
