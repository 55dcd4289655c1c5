import type { TodoItem, TodoState } from '../../../shared/tools/tool.ts'

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
export function normalizeTodoList(given: unknown): unknown {
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
