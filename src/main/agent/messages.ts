import type { ConversationItem, SummaryItem, ToolItem, UserItem } from '../../shared/conversation.ts'
import type { RestoreRecord } from '../../shared/restore.ts'
import type { Mode } from '../../shared/risk.ts'
import type { ChatMessage, ModelCall } from '../model/clients/modelClient.ts'
import { withAttachments } from './messageAttachments.ts'
import { changedNote, resultText } from './context/resultText.ts'
import { namedImages } from './messageImages.ts'
import { modeNote } from './systemPrompt.ts'
import type { SourcedMessage } from './sourcedMessage.ts'
import { appendInstructions, withInstructions } from './instructionInjection.ts'

/**
 * A conversation's items as the messages a server reads. Notices are for the user only; reasoning is not replayed. A
 * turn that failed before it said anything leaves no message behind. What a summary stands for is left out, but for instructions
 * that were told on the way. The same items always give the same messages, and items that are added only add to them, so that
 * servers can reuse what they computed.
 */
export function toMessages(system: string, items: readonly ConversationItem[]): ChatMessage[] {
  return sourcedMessages(system, items).map(({ message }) => message)
}

/**
 * As `toMessages`, with the item behind each message.
 * @param withReasoning calls since the last message of the user's carry what the model thought before them
 */
export function sourcedMessages(
  system: string,
  items: readonly ConversationItem[],
  withReasoning = false,
): SourcedMessage[] {
  const { summary, before, rest } = splitAtSummary(items)
  const messages: SourcedMessage[] = [{ message: { role: 'system', content: withInstructions(system, items) } }]
  const callsOf = groupCalls(rest)
  const begunIn = modeAfter(items.slice(0, items.findIndex(({ kind }) => kind === 'user') + 1))
  let mode = modeAfter(before)
  if (summary) {
    const told = before
      .flatMap((item) => (item.kind === 'instructions' && !item.start ? [`\n\n${item.text}`] : []))
      .join('')
    const note = mode === undefined || mode === begunIn ? '' : `\n\n${modeNote(mode)}`
    messages.push({ message: { role: 'user', content: `${summary.text}${told}${note}` }, item: summary })
  }
  // A restore after the last message that the summary stands for is told with the next one.
  let wentBack = before
    .slice(before.findLastIndex(({ kind }) => kind === 'user') + 1)
    .some((item) => item.kind === 'notice' && item.restore && filesWentBack(item.restore))
  const lastUser = withReasoning ? rest.findLastIndex(({ kind }) => kind === 'user') : rest.length
  for (const [position, item] of rest.entries()) {
    if (item.kind === 'notice' && item.restore) wentBack = filesWentBack(item.restore)
    if (item.kind === 'user') {
      const notes = `${changedNote(item.changedFiles)}${wentBack ? wentBackNote : ''}`
      const text = withMode({ ...item, text: withAttachments(item.text, item.attachments) }, mode)
      messages.push({ message: { role: 'user', content: `${text}${notes}`, ...namedImages(item.attachments) }, item })
      mode = item.mode ?? mode
      wentBack = false
    }
    if (item.kind === 'instructions') appendInstructions(messages, item)
    if (item.kind !== 'assistant') continue
    const calls = callsOf.get(item.id) ?? []
    if (item.text === '' && calls.length === 0) continue
    const reasoning = calls.length > 0 && position > lastUser ? item.reasoning : ''
    messages.push({
      message: {
        role: 'assistant',
        content: item.text,
        ...(reasoning && { reasoning }),
        ...(calls.length > 0 && { toolCalls: calls.map(toModelCall) }),
      },
      item,
    })
    for (const call of calls)
      messages.push({
        message: { role: 'tool', callId: call.callId, name: call.name, content: resultText(call) },
        item: call,
      })
  }
  return messages
}

/** The latest summary, what it stands for, and what comes after that. */
export function splitAtSummary(items: readonly ConversationItem[]): {
  summary?: SummaryItem
  before: readonly ConversationItem[]
  rest: readonly ConversationItem[]
} {
  const summary = items.findLast((item) => item.kind === 'summary')
  const end = summary ? items.findIndex(({ id }) => id === summary.upTo) + 1 : 0
  return { ...(end > 0 && { summary }), before: items.slice(0, end), rest: items.slice(end) }
}

function modeAfter(items: readonly ConversationItem[]): Mode | undefined {
  const last = items.findLast((item) => item.kind === 'user' && item.mode !== undefined)
  return last?.kind === 'user' ? last.mode : undefined
}

const wentBackNote =
  '\n\n[The user has put files of the workspace back to an earlier state. Read files again before you rely on what you saw of them.]'

/** Whether files went back and the conversation did not, so that it tells of changes that are no more. */
function filesWentBack({ state, before, fork }: RestoreRecord): boolean {
  return state === 'done' && before !== undefined && fork === undefined
}

/** A message of the user's; the mode is told below it where it changed since the last one. */
function withMode({ text, mode }: UserItem, before: Mode | undefined): string {
  return mode === undefined || before === undefined || mode === before ? text : `${text}\n\n${modeNote(mode)}`
}

function groupCalls(items: readonly ConversationItem[]): Map<string, ToolItem[]> {
  const groups = new Map<string, ToolItem[]>()
  for (const item of items) {
    if (item.kind !== 'tool') continue
    const group = groups.get(item.assistantId)
    if (group) group.push(item)
    else groups.set(item.assistantId, [item])
  }
  return groups
}

const toModelCall = (item: ToolItem): ModelCall => ({ id: item.callId, name: item.name, arguments: item.arguments })
