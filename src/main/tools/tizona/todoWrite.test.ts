import { expect, test } from 'vitest'
import { parseArguments } from '../arguments/coerceArguments.ts'
import { signature } from '../schema/toolSchema.ts'
import { runTool, temporaryFolder, testContext } from '../testing/toolContext.ts'
import { todoWrite } from './todoWrite.ts'

const todos = (raw: unknown) => parseArguments(todoWrite, raw)['todos']
const read = { content: 'Read', status: 'completed' }
const fix = { content: 'Fix', status: 'in_progress' }
const check = { content: 'Test', status: 'pending' }

test('the schema for a model has one simple form', () => {
  expect(signature(todoWrite)).toBe(
    '{"todos": [{"content": string, "status": "pending" | "in_progress" | "completed"}, …]}',
  )
})

test.each<[string, unknown]>([
  ['its own shape', { todos: [read, fix, check] }],
  ["Claude Code's", { todos: [{ ...read, activeForm: 'Reading', id: '1' }, { ...fix, priority: 'high' }, check] }],
  [
    "Codex's update_plan",
    {
      explanation: 'Found it.',
      plan: [
        { step: 'Read', status: 'completed' },
        { step: 'Fix', status: 'in_progress' },
        { step: 'Test', status: 'pending' },
      ],
    },
  ],
  ["Cline's checklist", { task_progress: '- [x] Read\n- [>] Fix\n\n- [ ] Test\n' }],
  [
    'other words',
    {
      items: [
        { title: 'Read', state: 'Done' },
        { task: 'Fix', state: 'in progress' },
        { text: 'Test', state: 'not started' },
      ],
    },
  ],
  ['true and false', { todos: [{ text: 'Read', done: true }, fix, { text: 'Test', done: false }] }],
  ['strings', { todos: ['[x] Read', '2. [~] Fix', 'Test'] }],
  ['a list as JSON text', JSON.stringify({ todos: JSON.stringify([read, fix, check]) })],
  ['a cancelled step', { todos: [read, fix, { content: 'Rewrite it all', status: 'cancelled' }, check] }],
])('accepts %s', (_, given) => {
  expect(todos(given)).toEqual([read, fix, check])
})

test('a step without a status is pending', () => {
  expect(todos({ todos: [{ content: 'Test' }] })).toEqual([check])
})

test.each<[string, unknown, RegExp]>([
  [
    'an unknown state',
    { todos: [{ content: 'a', status: 'maybe' }] },
    /todos\[0\]\.status.*"pending" or "in_progress" or "completed".*maybe/,
  ],
  ['an empty step', { todos: [{ content: ' ' }] }, /todos\[0\]\.content.*empty/],
  ['a step of a wrong type', { todos: [7] }, /todos\[0\]/],
  ['no list', { todos: 7 }, /"todos" must be a list/],
  ['nothing', {}, /"todos" is missing/],
  ['another parameter', { todos: [], colour: 'red' }, /no parameter "colour"/],
  ['too many steps', { todos: Array.from({ length: 101 }, () => check) }, /at most 100/],
])('%s is refused with a specific error', (_, given, message) => {
  expect(() => todos(given)).toThrow(
    expect.objectContaining({ code: 'invalid_arguments', message: expect.stringMatching(message) }),
  )
})

test('the result states the next step, and the view contains the list', async () => {
  const { root, remove } = await temporaryFolder()
  const context = await testContext(root)
  const run = (...list: object[]) => runTool(todoWrite, { todos: list }, context)
  expect(await run(read, fix, check)).toEqual({
    text: '1 of 3 completed. In progress: Fix',
    view: { kind: 'todos', todos: [read, fix, check] },
  })
  expect((await run(read, check)).text).toBe('1 of 2 completed. Next: Test')
  expect((await run(read)).text).toBe('The step is completed.')
  expect((await run()).text).toBe('The list is now empty.')
  await remove()
})
