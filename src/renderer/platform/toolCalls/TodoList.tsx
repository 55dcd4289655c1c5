import type { TodoItem } from '../../../shared/tools/tool.ts'
import { Icon } from '../../ui/index.ts'
import './todoList.css'

const signs: Readonly<Record<TodoItem['status'], { icon: string; label: string }>> = {
  pending: { icon: 'circle-large', label: 'To do' },
  in_progress: { icon: 'arrow-circle-right', label: 'In progress' },
  completed: { icon: 'pass-filled', label: 'Done' },
}

export function TodoList({ todos }: { todos: readonly TodoItem[] }) {
  return (
    <ol className="todo-list">
      {todos.map(({ content, status }, index) => (
        // Steps have no ids, and several can have the same text.
        <li key={index} className={`todo-step todo-step-${status}`}>
          <Icon name={signs[status].icon} label={signs[status].label} />
          <span>{content}</span>
        </li>
      ))}
    </ol>
  )
}
