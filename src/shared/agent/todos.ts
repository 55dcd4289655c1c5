import type { ConversationItem } from './conversation.ts'
import type { TodoItem, TodoState, ToolView } from '../tools/tool.ts'

/** Finds the model's latest to-do list. @returns undefined if there is none or it is empty */
export function latestTodos(items: readonly ConversationItem[]): readonly TodoItem[] | undefined {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at]
    const todos = item?.kind === 'tool' && item.result?.ok ? todosOf(item.result.view) : undefined
    if (todos) return todos.length > 0 ? todos : undefined
  }
  return undefined
}

/** Returns the to-do list in a result, also inside a batch; undefined if there is none. */
export function todosOf(view: ToolView): readonly TodoItem[] | undefined {
  if (view.kind === 'todos') return view.todos
  if (view.kind !== 'calls') return undefined
  return view.calls.flatMap(({ ok, view: inner }) => (ok && inner.kind === 'todos' ? [inner.todos] : [])).at(-1)
}

const marks: Readonly<Record<TodoState, string>> = { pending: '[ ]', in_progress: '[~]', completed: '[x]' }

/** Formats a to-do list for the model, one step per line. */
export function todoText(todos: readonly TodoItem[]): string {
  return todos.map(({ content, status }) => `${marks[status]} ${content}`).join('\n')
}
