import type { ConversationItem, ToolItem, UserItem } from '../../../shared/conversation.ts'
import { latestTodos, todoText } from '../../../shared/todos.ts'
import { plural } from '../../../shared/plural.ts'
import { changedPaths, readPath } from './staleReads.ts'
import { excerpt } from './resultText.ts'

/** Files that are named, the latest ones. */
const namedFiles = 30
/** Calls that an account without a model tells of, the latest ones. */
const toldCalls = 15

/**
 * The text that stands for a part of a conversation. What is certain stands there in any case, put together without a model: the
 * user's messages in their words, the files, the to-do list.
 * @param items what it stands for, from the conversation's beginning
 * @param account what happened, in a model's words or those of `plainAccount`
 * @param room characters for the user's messages
 */
export function summaryText(items: readonly ConversationItem[], account: string, room: number): string {
  const users = items.filter((item) => item.kind === 'user').filter(({ nudge }) => !nudge)
  const calls = items.filter((item) => item.kind === 'tool')
  const changed = latest(calls.flatMap(changedPaths))
  const read = latest(calls.flatMap((call) => readPath(call) ?? [])).filter((path) => !changed.includes(path))
  return [
    '[The conversation so far, summarised: its messages were taken out to make room. Go on from here and do not begin anew.]',
    section('What the user said, oldest first', userMessages(users, room)),
    section('What happened', account.trim()),
    section('Files changed', changed.join('\n')),
    section('Files read', read.join('\n')),
    section('To-do list', todoText(latestTodos(items) ?? [])),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n${text}`)

/** Each once, where it comes last. */
function latest(paths: readonly string[]): string[] {
  return [...new Set(paths.toReversed())].slice(0, namedFiles).toReversed()
}

/** The user's words: whole where they are short. The first says what it is all about, the last what is being done. */
function userMessages(users: readonly UserItem[], room: number): string {
  const texts = users.map(withLabels)
  const shortest = 120
  let each = Math.max(shortest, room)
  const cut = (text: string, at: number) => (text.length <= at ? text : excerpt(text, at))
  const length = () => texts.reduce((sum, text) => sum + Math.min(text.length, each), 0)
  while (length() > room && each > shortest) each = Math.max(shortest, Math.floor(each * 0.8))
  const fitting = Math.max(4, Math.floor(room / shortest))
  const numbered = texts.map((text, index) => `${index + 1}. ${cut(text, each)}`)
  if (numbered.length <= fitting) return numbered.join('\n')
  const missing = numbered.length - fitting
  return [...numbered.slice(0, 2), `(${plural(missing, 'message')} left out)`, ...numbered.slice(2 + missing)].join(
    '\n',
  )
}

/** What a message carried is named only: the model can read it anew. */
function withLabels({ text, attachments = [] }: UserItem): string {
  const labels = attachments.map(({ label }) => label).join(', ')
  return labels === '' ? text.trim() : `${text.trim()} [attached: ${labels}]`
}

/**
 * What happened, told without a model: what was told before, the latest calls with how they ended, and what was said last.
 * @param before the account of an earlier summary
 */
export function plainAccount(items: readonly ConversationItem[], before: string): string {
  const calls = items.filter((item) => item.kind === 'tool')
  const said = items.findLast((item) => item.kind === 'assistant' && item.text.trim() !== '')
  const failed = calls.findLast(({ result }) => result && !result.ok)
  return [
    before.trim() && excerpt(before.trim(), 1500),
    calls.length > toldCalls ? `${plural(calls.length - toldCalls, 'call')} made before these:` : '',
    ...calls.slice(-toldCalls).map((call) => `- ${callLine(call)}`),
    failed?.result && `Last error: ${excerpt(failed.result.text, 400)}`,
    said?.kind === 'assistant' && `Said last: ${excerpt(said.text.trim(), 600)}`,
  ]
    .filter(Boolean)
    .join('\n')
}

/** A call and how it ended in one line. */
export function callLine({ name, arguments: args, result }: ToolItem): string {
  const short = args.replaceAll(/\s+/g, ' ')
  const end = !result ? 'cancelled' : result.ok ? 'done' : (result.text.split('\n')[0] ?? 'failed').slice(0, 160)
  return `${name} ${short.length > 120 ? `${short.slice(0, 120)}…` : short}: ${end}`
}
