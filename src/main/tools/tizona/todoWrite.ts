import { z } from 'zod'
import { plural } from '../../../shared/text/plural.ts'
import { type TodoItem, todoStates, type TodoState } from '../../../shared/tools/tool.ts'
import { defineTool } from '../common/toolDefinition.ts'

const step = z.object({
  content: z.string().trim().min(1).max(1000),
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
  schema: () =>
    z.object({ todos: z.preprocess(normalizeTodoList, z.array(step).max(100)).describe('All steps in order.') }),
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

/** The call already contains the list, so the result only reports the next step. */
function summary(todos: readonly TodoItem[]): string {
  if (todos.length === 0) return 'The list is now empty.'
  const done = todos.filter(({ status }) => status === 'completed').length
  if (done === todos.length)
    return todos.length === 1 ? 'The step is completed.' : `All ${plural(todos.length, 'step')} are completed.`
  const current = todos.find(({ status }) => status === 'in_progress')
  const next = todos.find(({ status }) => status === 'pending')
  return `${done} of ${todos.length} completed. ${current ? `In progress: ${current.content}` : `Next: ${next?.content ?? ''}`}`
}

/** State names of steps in Claude Code, Codex, Cline and OpenCode, and names that models invent. */
const stateWords: Readonly<Record<TodoState, readonly string[]>> = {
  pending: ['pending', 'todo', 'to_do', 'open', 'not_started', 'planned', 'queued', 'waiting', 'next', 'false', ''],
  in_progress: ['in_progress', 'inprogress', 'active', 'current', 'doing', 'started', 'working', 'running', 'ongoing'],
  completed: ['completed', 'complete', 'done', 'finished', 'closed', 'checked', 'true'],
}
const cancelledStates = ['cancelled', 'canceled', 'skipped', 'removed', 'deleted', 'obsolete']

const contentNames = ['content', 'step', 'text', 'title', 'task', 'description', 'name', 'todo', 'item']
const statusNames = ['status', 'state', 'completed', 'done', 'checked']

/**
 * Converts a list of steps to the schema: strings with or without a Markdown checkbox, objects with other field names,
 * one multi-line string, or a list as JSON text. Cancelled steps are removed. Other values remain for the schema to
 * refuse.
 */
function normalizeTodoList(given: unknown): unknown {
  const list = typeof given === 'string' ? linesOrJson(given) : given
  if (!Array.isArray(list)) return given
  return list.map(todoItem).filter((item) => !isCancelled(item))
}

function linesOrJson(text: string): unknown {
  if (text.trim().startsWith('[') && !/^\[[ xX>~*-]?\]/.test(text.trim())) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      // Not JSON: lines.
    }
  }
  return text.split('\n').filter((line) => line.trim() !== '')
}

function todoItem(item: unknown): unknown {
  if (typeof item === 'string') return markdownItem(item)
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  const fields = new Map<string, unknown>(Object.entries(item))
  const content = contentNames.map((name) => fields.get(name)).find((value) => typeof value === 'string')
  const status = statusNames.map((name) => fields.get(name)).find((value) => value !== undefined && value !== null)
  return { content, status: stateOf(status) }
}

/** Parses `- [x] Read the tests`, `2. Fix it` or `Fix it`. The checkbox gives the state. */
function markdownItem(line: string): TodoItem {
  const [, box, content = line] = /^\s*(?:[-*+]|\d+[.)])?\s*(?:\[([ xX>~*-]?)\]\s*)?(.*)$/s.exec(line) ?? []
  const status = box?.toLowerCase() === 'x' ? 'completed' : box && /[>~*-]/.test(box) ? 'in_progress' : 'pending'
  return { content: content.trim(), status }
}

/** Converts a state name. Unknown names are kept, so that the schema reports them. */
function stateOf(given: unknown): unknown {
  if (given === undefined) return 'pending'
  if (typeof given !== 'string' && typeof given !== 'boolean') return given
  const word = String(given)
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  const known = Object.entries(stateWords).find(([, words]) => words.includes(word))
  return known?.[0] ?? word
}

function isCancelled(item: unknown): boolean {
  return (
    typeof item === 'object' &&
    item !== null &&
    'status' in item &&
    typeof item.status === 'string' &&
    cancelledStates.includes(item.status)
  )
}
