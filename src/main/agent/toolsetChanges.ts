import type { NoticeItem } from '../../shared/conversation.ts'
import { plural } from '../../shared/plural.ts'
import type { ChatTool } from '../model/clients/modelClient.ts'
import { noticeItem } from './items.ts'
import type { Transcript } from './transcript.ts'

/** Tools and problems at the start of each conversation's last turn. */
const lastTurn = new WeakMap<Transcript, { tools: ReadonlyMap<string, string>; problems: ReadonlySet<string> }>()

/**
 * Returns notices to show before a turn: about new problems, and about tools that were added, removed or changed since
 * the conversation's last turn. Such a change costs time, because the model server cannot reuse its cached prompt. It does
 * not wait for a compaction, as other changes of the prompt do: the user expects tools that a server offers now, and the
 * model would call tools that are gone.
 * @param problems messages about MCP servers that failed
 */
export function toolsetChanges(
  transcript: Transcript,
  offered: readonly ChatTool[],
  problems: readonly string[],
): NoticeItem[] {
  const tools = new Map(offered.map((tool) => [tool.name, JSON.stringify(tool)]))
  const before = lastTurn.get(transcript)
  lastTurn.set(transcript, { tools, problems: new Set(problems) })
  const newProblems = problems.filter((problem) => !before?.problems.has(problem))
  const notices = newProblems.length === 0 ? [] : [noticeItem('warning', newProblems.join('\n'), 'settings')]
  if (!before) return notices
  const added = [...tools.keys()].filter((name) => !before.tools.has(name))
  const removed = [...before.tools.keys()].filter((name) => !tools.has(name))
  const changed = [...tools]
    .filter(([name, text]) => before.tools.has(name) && before.tools.get(name) !== text)
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
