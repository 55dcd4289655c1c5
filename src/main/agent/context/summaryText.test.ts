import { describe, expect, it } from 'vitest'
import { plainNarrative, summaryText } from './summaryText.ts'
import { toolCall, editOf, failedCall, readOf, assistant, user } from './testing/items.ts'

const todos = toolCall('t', 'todo_write', 'ok', {
  kind: 'todos',
  todos: [
    { content: 'Read', status: 'completed' },
    { content: 'Fix', status: 'in_progress' },
    { content: 'Test', status: 'pending' },
  ],
})
const items = [
  user('u1', 'Fix the price, and keep the name `net`.'),
  readOf('1', 'src/price.ts', 'x'),
  readOf('2', 'src/tax.ts', 'x'),
  todos,
  editOf('3', 'src/price.ts'),
  failedCall('4', 'run_command', 'Error (failed): 2 tests fail\nexpected 3'),
  assistant('a', 'The rounding is wrong.'),
  user('u2', 'Round half up.'),
]

describe('a summary', () => {
  it("contains the user's messages, the files and the to-do list, whatever the account says", () => {
    expect(summaryText(items, 'Worked on it.', 2000)).toBe(
      [
        '[Summary of the conversation so far. Its messages were removed to free space. Continue from here; do not start over.]',
        '## What the user said, oldest first\n1. Fix the price, and keep the name `net`.\n2. Round half up.',
        '## What happened\nWorked on it.',
        '## Files changed\nsrc/price.ts',
        '## Files read\nsrc/tax.ts',
        '## To-do list\n[x] Read\n[~] Fix\n[ ] Test',
      ].join('\n\n'),
    )
  })

  it('names attachments, so that they can be read again', () => {
    const asked = {
      ...user('1', 'Is it right? @a.ts'),
      attachments: [{ kind: 'file' as const, label: 'a.ts:1-9', path: 'a.ts', text: 'long text' }],
    }
    expect(summaryText([asked], '', 2000)).toContain('1. Is it right? @a.ts [attached: a.ts:1-9]')
    expect(summaryText([asked], '', 2000)).not.toContain('long text')
  })

  it('truncates long messages before short ones, and keeps the first and latest of very many', () => {
    const cut = summaryText([user('1', 'word '.repeat(2000)), user('2', 'Use tabs.')], '', 1000)
    expect(cut.length).toBeLessThan(1500)
    expect(cut).toContain('2. Use tabs.')
    const many = summaryText(
      Array.from({ length: 100 }, (_, index) => user(String(index), `Message ${index}.`)),
      '',
      1200,
    )
    expect(many).toContain('1. Message 0.')
    expect(many).toContain('100. Message 99.')
    expect(many).toMatch(/\(\d+ messages omitted\)/)
  })
})

describe('an account without a model', () => {
  it('contains the earlier account, the outcome of the latest calls, the last error and the last answer', () => {
    const account = plainNarrative(items, 'Earlier the bug was found.')
    expect(account).toContain('Earlier the bug was found.')
    expect(account).toContain('- edit_file {}: done')
    expect(account).toContain('- run_command {}: Error (failed): 2 tests fail')
    expect(account).toContain('Last error: Error (failed): 2 tests fail\nexpected 3')
    expect(account).toContain('Last answer: The rounding is wrong.')
  })

  it('counts the calls it leaves out', () => {
    expect(
      plainNarrative(
        Array.from({ length: 40 }, (_, index) => toolCall(String(index), 'run', 'x')),
        '',
      ),
    ).toContain('25 calls came before these:')
  })
})
