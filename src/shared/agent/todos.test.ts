import { expect, test } from 'vitest'
import type { ToolItem } from './conversation.ts'
import { latestTodos, todoText } from './todos.ts'
import type { TodoItem, ToolView } from '../tools/tool.ts'

const first: TodoItem[] = [{ content: 'Read', status: 'in_progress' }]
const second: TodoItem[] = [
  { content: 'Read', status: 'completed' },
  { content: 'Fix', status: 'pending' },
]

function call(view: ToolView, ok = true): ToolItem {
  const result = { ok, text: '', view, elapsedMs: 0, arguments: {}, truncated: false }
  return {
    id: 't',
    kind: 'tool',
    at: 0,
    assistantId: 'a',
    callId: 'c',
    name: 'todo_write',
    arguments: '{}',
    state: 'done',
    result,
  }
}

test('returns the latest list', () => {
  expect(latestTodos([])).toBeUndefined()
  expect(
    latestTodos([
      call({ kind: 'todos', todos: first }),
      call({ kind: 'todos', todos: second }),
      call({ kind: 'text' }),
    ]),
  ).toBe(second)
  expect(latestTodos([call({ kind: 'todos', todos: first }), call({ kind: 'todos', todos: second }, false)])).toBe(
    first,
  )
  expect(latestTodos([call({ kind: 'todos', todos: first }), call({ kind: 'todos', todos: [] })])).toBeUndefined()
})

test('includes a list that was written in a batch', () => {
  const line = { tool: 'todo_write', arguments: {}, ok: true, text: '', elapsedMs: 0 }
  expect(
    latestTodos([
      call({
        kind: 'calls',
        calls: [
          { ...line, view: { kind: 'todos', todos: second } },
          { ...line, view: { kind: 'text' } },
        ],
      }),
    ]),
  ).toBe(second)
})

test('formats one step per line', () => {
  expect(todoText(first)).toBe('[~] Read')
  expect(todoText(second)).toBe('[x] Read\n[ ] Fix')
})
