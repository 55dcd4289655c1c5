import type { ConversationItem, ToolItem, UserItem } from '../../../shared/agent/conversation.ts'
import { latestTodos, todoText } from '../../../shared/agent/todos.ts'
import { plural } from '../../../shared/text/plural.ts'
import { pathsChangedBy, pathReadBy } from './staleReads.ts'
import { excerpt } from '../conversation/resultText.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/** Maximum number of files listed, latest first. */
const maxFiles = 30
/** Maximum number of calls listed in a plain narrative, latest first. */
const maxCalls = 15

/**
 * Returns the text that replaces the start of a conversation. Besides the narrative, it contains facts that need no
 * model: the user's messages, the files and the to-do list.
 * @param items the replaced items, from the start of the conversation
 * @param narrative what happened, written by a model or by `plainNarrative`
 * @param maxQuoted maximum characters of the user's messages
 */
export function summaryText(items: readonly ConversationItem[], narrative: string, maxQuoted: number): string {
  const users = items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
  const calls = items.filter((item) => item.kind === 'tool')
  const changed = latest(calls.flatMap(pathsChangedBy))
  const read = latest(calls.flatMap((call) => pathReadBy(call) ?? [])).filter((path) => !changed.includes(path))
  return [
    '[Summary of the conversation so far. Its messages were removed to free space. Continue from here; do not start over.]',
    section('What the user said, oldest first', userMessages(users, maxQuoted)),
    section('What happened', narrative.trim()),
    section('Files changed', changed.join('\n')),
    section('Files read', read.join('\n')),
    section('To-do list', todoText(latestTodos(items) ?? [])),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n${text}`)

/** Returns each path once, in the order of the last occurrence. */
function latest(paths: readonly string[]): string[] {
  return [...new Set(paths.toReversed())].slice(0, maxFiles).toReversed()
}

/** Returns the user's messages, truncated equally. Keeps the first ones, which name the task, and the last ones. */
function userMessages(users: readonly UserItem[], maxQuoted: number): string {
  const texts = users.map(withLabels)
  const minLength = 120
  let maxLength = Math.max(minLength, maxQuoted)
  const truncated = (text: string) => (text.length <= maxLength ? text : excerpt(text, maxLength))
  const length = () => texts.reduce((sum, text) => sum + Math.min(text.length, maxLength), 0)
  while (length() > maxQuoted && maxLength > minLength) maxLength = Math.max(minLength, Math.floor(maxLength * 0.8))
  const fitting = Math.max(4, Math.floor(maxQuoted / minLength))
  const numbered = texts.map((text, index) => `${index + 1}. ${truncated(text)}`)
  if (numbered.length <= fitting) return numbered.join('\n')
  const missing = numbered.length - fitting
  return [...numbered.slice(0, 2), `(${plural(missing, 'message')} omitted)`, ...numbered.slice(2 + missing)].join('\n')
}

/** Returns a message with the names of its attachments, so that the model can read them again. */
function withLabels({ text, attachments = [] }: UserItem): string {
  const labels = attachments.map(({ label }) => label).join(', ')
  return labels === '' ? text.trim() : `${text.trim()} [attached: ${labels}]`
}

/**
 * Returns a narrative without a model's help: the earlier narrative, the latest calls with their outcomes, and the last
 * answer.
 * @param before the narrative of an earlier summary
 */
export function plainNarrative(items: readonly ConversationItem[], before: string): string {
  const calls = items.filter((item) => item.kind === 'tool')
  const answer = items.findLast((item) => item.kind === 'assistant' && item.text.trim() !== '')
  const failed = calls.findLast(({ result }) => result && !result.ok)
  return [
    before.trim() && excerpt(before.trim(), 1500),
    calls.length > maxCalls ? `${plural(calls.length - maxCalls, 'call')} came before these:` : '',
    ...calls.slice(-maxCalls).map((call) => `- ${callLine(call)}`),
    failed?.result && `Last error: ${excerpt(failed.result.text, 400)}`,
    answer?.kind === 'assistant' && `Last answer: ${excerpt(answer.text.trim(), 600)}`,
  ]
    .filter(Boolean)
    .join('\n')
}

/** Returns a call and its outcome in one line. */
function callLine({ name, arguments: args, result }: ToolItem): string {
  const short = args.replaceAll(/\s+/g, ' ')
  const end = !result ? 'cancelled' : result.ok ? 'done' : (result.text.split('\n')[0] ?? 'failed').slice(0, 160)
  return `${name} ${truncate(short, 120)}: ${end}`
}
