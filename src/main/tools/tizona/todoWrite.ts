import { z } from 'zod'
import type { TodoItem } from '../../../shared/tools/tool.ts'
import { todoStates } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool } from '../toolDefinition.ts'
import { normalizeTodoList } from './todoShapes.ts'

const step = z.object({
  content: z.string().trim().min(1).max(1000).describe('The step in a few words.'),
  status: z.enum(todoStates),
})

/**
 * The model's list of steps. It is stored only in the view of the latest call in the conversation (shared/agent/todos.ts).
 */
export const todoWrite = defineTool({
  name: 'todo_write',
  aliases: ['update_plan', 'TodoWrite', 'write_todos', 'todowrite', 'update_todo_list'],
  title: 'To-do list',
  description:
    'Keeps the steps of a longer task, shown to the user. Send the whole list each time: one step in_progress; mark steps completed immediately.',
  risk: 'read',
  smallestProfile: 'medium',
  schema: z.object({ todos: z.preprocess(normalizeTodoList, z.array(step).max(100)).describe('All steps in order.') }),
  parameterAliases: {
    items: 'todos',
    plan: 'todos',
    tasks: 'todos',
    steps: 'todos',
    list: 'todos',
    todo_list: 'todos',
    task_progress: 'todos',
  },
  ignoredParameters: ['explanation', 'merge'],
  examples: [
    {
      todos: [
        { content: 'Read the failing test', status: 'completed' },
        { content: 'Fix the parser', status: 'in_progress' },
        { content: 'Run the tests', status: 'pending' },
      ],
    },
  ],
  run: ({ todos }) => Promise.resolve({ text: summary(todos), view: { kind: 'todos', todos } }),
})

/** The call already contains the list, so the result only reports what is next. */
function summary(todos: readonly TodoItem[]): string {
  if (todos.length === 0) return 'The list is now empty.'
  const done = todos.filter(({ status }) => status === 'completed').length
  if (done === todos.length)
    return todos.length === 1 ? 'The step is completed.' : `All ${plural(todos.length, 'step')} are completed.`
  const current = todos.find(({ status }) => status === 'in_progress')
  const next = todos.find(({ status }) => status === 'pending')
  return `${done} of ${todos.length} completed. ${current ? `In progress: ${current.content}` : `Next: ${next?.content ?? ''}`}`
}
