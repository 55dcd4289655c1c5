import { useState } from 'react'
import { todosOf } from '../../../shared/agent/todos.ts'
import type { TodoItem } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { Icon } from '../../ui/index.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'
import { TodoList } from '../../platform/toolCalls/TodoList.tsx'
import './todos.css'

/**
 * Progress of the model's to-do list, above the composer. Hidden once the user sends a message after its completion.
 */
export function TodoBar() {
  const [open, setOpen] = useState(false)
  const todos = useChat(shownTodos)
  if (todos.length === 0) return null
  const done = todos.filter(({ status }) => status === 'completed').length
  const current =
    todos.find(({ status }) => status === 'in_progress') ?? todos.find(({ status }) => status === 'pending')
  return (
    <section className="todo-bar" aria-label="Progress" data-testid="todo-bar">
      <button type="button" className="todo-bar-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span className="todo-bar-count">
          {done}/{todos.length}
        </span>
        <span className="todo-bar-current">{open ? 'Steps' : (current?.content ?? 'All steps are done')}</span>
        <progress
          className="todo-bar-progress"
          max={todos.length}
          value={done}
          aria-label={`${done} of ${plural(todos.length, 'step')} done`}
        />
      </button>
      {open && <TodoList todos={todos} />}
    </section>
  )
}

const none: readonly TodoItem[] = []

/** An unfinished list counts as abandoned after this many user messages without an update. */
const abandonedAfter = 3

/** The latest list, or an empty one if it is completed or abandoned. */
function shownTodos({ order, items }: ChatState): readonly TodoItem[] {
  let messagesSince = 0
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const item = items[order[at] ?? '']
    if (item?.kind === 'user' && !item.nudge && !item.steered) messagesSince += 1
    const todos = item?.kind === 'tool' && item.result?.ok ? todosOf(item.result.view) : undefined
    if (todos)
      return messagesSince >= (todos.every(({ status }) => status === 'completed') ? 1 : abandonedAfter) ? none : todos
  }
  return none
}
