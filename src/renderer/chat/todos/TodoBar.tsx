import { useState } from 'react'
import { todosOf } from '../../../shared/todos.ts'
import type { TodoItem } from '../../../shared/tool.ts'
import { plural } from '../../../shared/plural.ts'
import { Icon } from '../../ui/index.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'
import { TodoList } from '../../platform/toolCalls/TodoList.tsx'
import './todos.css'

/** How far the model is in its own list: one line above the composer that unfolds. Gone with the first message after all is done. */
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

/** A list that was not touched for so many messages of the user's was given up, whatever is left of it. */
const forgottenAfter = 3

/** The list as it was written last; none where all of it was done before the user's last message. */
function shownTodos({ order, items }: ChatState): readonly TodoItem[] {
  let spokenSince = 0
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const item = items[order[at] ?? '']
    if (item?.kind === 'user' && !item.nudge && !item.steered) spokenSince += 1
    const todos = item?.kind === 'tool' && item.result?.ok ? todosOf(item.result.view) : undefined
    if (todos)
      return spokenSince >= (todos.every(({ status }) => status === 'completed') ? 1 : forgottenAfter) ? none : todos
  }
  return none
}
