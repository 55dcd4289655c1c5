import type { NoticeItem } from '../../shared/conversation.ts'
import type { ChatTool } from '../model/clients/modelClient.ts'
import { noticeItem } from './items.ts'
import type { Transcript } from './transcript.ts'

/** What a conversation's last turn was begun with. */
const lastTurn = new WeakMap<Transcript, { tools: ReadonlyMap<string, string>; problems: ReadonlySet<string> }>()

/**
 * What a user should know before a turn: tools that came, went or changed since the conversation's last one (an MCP server's, or
 * those the user switched), which also costs the model server what it kept of the prompt; and problems not yet told.
 */
export function toolsetChanges(
  transcript: Transcript,
  offered: readonly ChatTool[],
  problems: readonly string[],
): NoticeItem[] {
  const tools = new Map(offered.map((tool) => [tool.name, JSON.stringify(tool)]))
  const before = lastTurn.get(transcript)
  lastTurn.set(transcript, { tools, problems: new Set(problems) })
  const untold = problems.filter((problem) => !before?.problems.has(problem))
  const fresh = untold.length === 0 ? [] : [noticeItem('warning', untold.join('\n'), 'settings')]
  if (!before) return fresh
  const added = [...tools.keys()].filter((name) => !before.tools.has(name))
  const gone = [...before.tools.keys()].filter((name) => !tools.has(name))
  const changed = [...tools]
    .filter(([name, text]) => before.tools.has(name) && before.tools.get(name) !== text)
    .map(([name]) => name)
  const parts = [named('New', added), named('Gone', gone), named('Changed', changed)].filter((part) => part !== '')
  return parts.length === 0
    ? fresh
    : [...fresh, noticeItem('info', `The tools are not those of the turn before. ${parts.join(' ')}`)]
}

function named(word: string, names: readonly string[]): string {
  if (names.length === 0) return ''
  const shown = names.slice(0, 8).join(', ')
  return `${word}: ${shown}${names.length > 8 ? ` and ${names.length - 8} more` : ''}.`
}
