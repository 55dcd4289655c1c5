import { describe, expect, test } from 'vitest'
import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolView } from '../../../shared/tools/tool.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { findCallRepetition } from './callRepetition.ts'

let made = 0
function call(name: string, args: object, text: string, other: { view?: ToolView; failed?: boolean } = {}): ToolItem {
  made += 1
  return {
    id: `t${made}`,
    kind: 'tool',
    at: 0,
    assistantId: 'a',
    callId: `c${made}`,
    name,
    arguments: JSON.stringify(args),
    state: other.failed ? 'failed' : 'done',
    result: {
      ok: !other.failed,
      text,
      view: other.view ?? { kind: 'text' },
      elapsedMs: made,
      arguments: { ...args },
      truncated: false,
      ...(other.failed && { error: { code: 'no_match' as const, message: text, next: '' } }),
    },
  }
}
const user: ConversationItem = { id: 'u', kind: 'user', at: 0, text: 'go' }
const read = () => call('read_file', { path: 'a.txt' }, 'one')
const list = () => call('list_dir', { path: '.' }, 'a.txt')
const times = (count: number, ...make: (() => ToolItem)[]) =>
  Array.from({ length: count }, () => make.map((each) => each())).flat()

describe('the same call with the same result', () => {
  test('causes a warning the third time and ends the turn the fifth time', () => {
    expect(findCallRepetition([user, ...times(2, read)])).toBeUndefined()
    expect(findCallRepetition([user, ...times(3, read)])).toEqual({
      warning: expect.stringContaining('made 3 times with the same result'),
    })
    expect(findCallRepetition([user, ...times(4, read)])?.stop).toBeUndefined()
    expect(findCallRepetition([user, ...times(5, read)])?.stop).toBe(
      'Stopped: the model made the same call (read_file) 5 times with the same result.',
    )
  })

  test('ignores durations and job names', () => {
    const test = (seconds: string) =>
      call('run_command', { command: 'npm test' }, `1 failed\n[exit 1 after ${seconds} s in .]`)
    expect(findCallRepetition([user, test('0.8'), test('1.2'), test('11.9')])).toBeDefined()
  })

  test('ignores differences in error messages', () => {
    const edit = (line: number) =>
      call('apply_patch', { path: 'a.txt', old_text: 'x' }, `The nearest text is in line ${line}.`, { failed: true })
    expect(findCallRepetition([user, edit(1), edit(2), edit(3)])).toBeDefined()
  })
})

test('two alternating calls and three calls in turn count per round', () => {
  expect(findCallRepetition([user, ...times(2, read, list), read()])).toBeUndefined()
  expect(findCallRepetition([user, ...times(3, read, list)])?.warning).toContain(
    'These 2 calls (read_file, list_dir) were made 3 times in turn',
  )
  expect(findCallRepetition([user, ...times(5, read, list)])?.stop).toContain(
    'the same calls (read_file, list_dir) 5 times',
  )
  const grep = () => call('grep_search', { query: 'x' }, 'nothing')
  expect(findCallRepetition([user, ...times(3, read, list, grep)])?.warning).toContain('3 calls')
})

test('a different call, argument or result is progress', () => {
  expect(findCallRepetition([user, read(), read(), list(), read(), read()])).toBeUndefined()
  expect(
    findCallRepetition([user, ...[1, 2, 3, 4, 5].map((line) => call('read_file_range', { start_line: line }, 'one'))]),
  ).toBeUndefined()
  expect(
    findCallRepetition([
      user,
      ...[1, 2, 3, 4, 5].map((failed) => call('run_command', { command: 'npm test' }, `${failed} failed`)),
    ]),
  ).toBeUndefined()
  const edit = (text: string) => call('write_file', { content: text }, 'written')
  const red = () => call('run_command', { command: 'npm test' }, '1 failed')
  expect(findCallRepetition([user, edit('a'), red(), edit('b'), red(), edit('c'), red()])).toBeUndefined()
})

test('waiting for a running command is not a repetition', () => {
  const job: JobInfo = {
    id: 'job-1',
    kind: 'command',
    command: 'npm run build',
    cwd: '.',
    state: 'running',
    startedAt: 0,
  }
  const wait = () =>
    call('read_command_output', { job_id: 'job-1' }, '[still running]', { view: { kind: 'command', job } })
  expect(findCallRepetition([user, ...times(6, wait)])).toBeUndefined()
})

test('counting starts at the last user message or "Continue", not at a nudge', () => {
  expect(findCallRepetition([user, ...times(4, read), { ...user, id: 'u2' }, read(), read()])).toBeUndefined()
  const stopped: ConversationItem = {
    id: 'n',
    kind: 'notice',
    at: 0,
    level: 'warning',
    text: 'Stopped',
    action: 'continue',
  }
  expect(findCallRepetition([user, ...times(5, read), stopped, read(), read()])).toBeUndefined()
  expect(findCallRepetition([user, read(), read(), { ...user, id: 'u3', nudge: true }, read()])).toBeDefined()
})
