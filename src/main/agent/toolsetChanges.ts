import type { NoticeItem } from '../../shared/agent/conversation.ts'
import { plural } from '../../shared/text/plural.ts'
import type { ChatTool } from '../model/modelClient.ts'
import { noticeItem } from './conversation/items.ts'
import type { Transcript } from './conversation/transcript.ts'

/** Tools at the start of each conversation's last turn. */
const lastTurn = new WeakMap<Transcript, ReadonlyMap<string, string>>()
/** Problems at the start of the last turn of any conversation of an agent. */
const lastProblems = new WeakMap<object, ReadonlySet<string>>()

/** Returns the problems that no conversation has shown yet. Ignores numbers, because retries differ only in them. */
function takeNewProblems(agent: object, problems: readonly string[]): string[] {
  const withoutNumbers = (problem: string) => problem.replaceAll(/\d+/g, '0')
  const before = lastProblems.get(agent)
  lastProblems.set(agent, new Set(problems.map(withoutNumbers)))
  return problems.filter((problem) => !before?.has(withoutNumbers(problem)))
}

/**
 * Returns notices to show before a turn: about new problems, and about tools that were added, removed or changed since
 * the conversation's last turn. Such a change costs time, because the model server cannot reuse its cached prompt.
 * Unlike other prompt changes, it does not wait for a compaction: users expect new tools to work at once, and the model
 * would call removed ones.
 * @param problems messages about MCP servers that failed. Each is shown once, not in every conversation.
 * @param agent owner of the conversations
 */
export function toolsetChanges(
  transcript: Transcript,
  offered: readonly ChatTool[],
  problems: readonly string[],
  agent: object,
): NoticeItem[] {
  const tools = new Map(offered.map((tool) => [tool.name, JSON.stringify(tool)]))
  const before = lastTurn.get(transcript)
  lastTurn.set(transcript, tools)
  const newProblems = takeNewProblems(agent, problems)
  const notices = newProblems.length === 0 ? [] : [noticeItem('warning', newProblems.join('\n'), 'settings')]
  if (!before) return notices
  const added = [...tools.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !tools.has(name))
  const changed = [...tools]
    .filter(([name, text]) => before.has(name) && before.get(name) !== text)
    .map(([name]) => name)
  const changes = [changeText('Added', added), changeText('Removed', removed), changeText('Changed', changed)].filter(
    (part) => part !== '',
  )
  return changes.length === 0
    ? notices
    : [...notices, noticeItem('info', `The tools changed since the last turn. ${changes.join(' ')}${cost(transcript)}`)]
}

/** Returns what the change costs, by the size of the last prompt; '' if there was none. */
function cost(transcript: Transcript): string {
  const last = transcript.items().findLast((item) => item.kind === 'assistant' && item.usage !== undefined)
  const tokens = last?.kind === 'assistant' ? (last.usage?.promptTokens ?? 0) : 0
  return tokens === 0 ? '' : ` The model server reads the conversation again (${plural(tokens, 'token')}).`
}

function changeText(word: string, names: readonly string[]): string {
  if (names.length === 0) return ''
  const listed = names.slice(0, 8).join(', ')
  return `${word}: ${listed}${names.length > 8 ? ` and ${names.length - 8} more` : ''}.`
}
