import type { ReasoningReplay } from '../../../shared/settings/settings.ts'
import type {
  AssistantItem,
  ConversationItem,
  SummaryItem,
  ToolItem,
  UserItem,
} from '../../../shared/agent/conversation.ts'
import type { RestoreRecord } from '../../../shared/review/restore.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import type { ChatMessage, ModelCall } from '../../model/modelClient.ts'
import { withAttachments } from './messageAttachments.ts'
import { changedNote, resultText } from './resultText.ts'
import { imageReferences, resultImages } from './messageImages.ts'
import { modeNote } from './systemPrompt.ts'
import type { SourcedMessage } from './items.ts'
import { appendInstructions, withInstructions } from './applicableInstructions.ts'

/**
 * Converts a conversation's items to the messages of a request. Omits notices, reasoning, empty answers, and the items
 * that a summary replaces, except instructions. The same items always produce the same messages, and new items only
 * append to them, so that servers can reuse their prompt cache.
 * @param replay the reasoning to include
 * @returns the messages, each with its item
 */
export function sourcedMessages(
  system: string,
  items: readonly ConversationItem[],
  replay: ReasoningReplay = 'none',
): SourcedMessage[] {
  const { summary, before, rest } = splitAtSummary(items)
  const messages: SourcedMessage[] = [systemMessage(withInstructions(system, items))]
  const callsOf = groupCalls(rest)
  const firstMode = lastMode(items.slice(0, items.findIndex(({ kind }) => kind === 'user') + 1))
  let mode = lastMode(before)
  if (summary) {
    const instructions = before
      .flatMap((item) => (item.kind === 'instructions' && !item.start ? [`\n\n${item.text}`] : []))
      .join('')
    const note = mode === undefined || mode === firstMode ? '' : `\n\n${modeNote(mode)}`
    messages.push({ message: { role: 'user', content: `${summary.text}${instructions}${note}` }, item: summary })
  }
  // The next message notes a restore after the last summarized message.
  const unnoted = before.slice(before.findLastIndex(({ kind }) => kind === 'user') + 1)
  let restored = unnoted.some((item) => item.kind === 'notice' && item.restore && filesRestored(item.restore))
  let folder = unnoted.map(folderBefore).find((name) => name !== undefined)
  const lastUser = replay === 'turn' ? rest.findLastIndex(({ kind }) => kind === 'user') : rest.length
  for (const [position, item] of rest.entries()) {
    if (item.kind === 'notice' && item.restore) restored = filesRestored(item.restore)
    folder = folderBefore(item) ?? folder
    if (item.kind === 'user') {
      const errors = item.lateErrors === undefined ? '' : `\n\n${item.lateErrors}`
      const hooks = item.hookContext === undefined ? '' : `\n\n${item.hookContext}`
      const notes = `${changedNote(item.changedFiles)}${errors}${hooks}${restored ? restoredNote : ''}${folder === undefined ? '' : movedNote(folder)}`
      const text = withMode({ ...item, text: withAttachments(item.text, item.attachments) }, mode)
      messages.push(userMessage(item, `${text}${notes}`))
      mode = item.mode ?? mode
      restored = false
      folder = undefined
    }
    if (item.kind === 'instructions') appendInstructions(messages, item)
    if (item.kind !== 'assistant') continue
    const calls = callsOf.get(item.id) ?? []
    if (item.text === '' && calls.length === 0) continue
    const isReplayed = replay === 'conversation' || (calls.length > 0 && position > lastUser)
    const reasoning = isReplayed && !item.reasoningLeftOut ? item.reasoning : ''
    messages.push(assistantMessage(item, reasoning, calls))
    for (const call of calls) messages.push(resultMessage(call))
    // Results cannot contain pictures.
    for (const call of calls) if (resultImages(call).length > 0) messages.push(picturesMessage(call))
  }
  return messages
}

/** Splits items into the ones that the latest summary replaces (`before`) and the remaining ones (`rest`). */
export function splitAtSummary(items: readonly ConversationItem[]): {
  summary?: SummaryItem
  before: readonly ConversationItem[]
  rest: readonly ConversationItem[]
} {
  const summary = items.findLast((item) => item.kind === 'summary')
  const end = summary ? items.findIndex(({ id }) => id === summary.upTo) + 1 : 0
  return { ...(end > 0 && { summary }), before: items.slice(0, end), rest: items.slice(end) }
}

function lastMode(items: readonly ConversationItem[]): Mode | undefined {
  const last = items.findLast((item) => item.kind === 'user' && item.mode !== undefined)
  return last?.kind === 'user' ? last.mode : undefined
}

const restoredNote =
  '\n\n[The user has restored files of the workspace to an earlier state. Read files again before you rely on their content.]'

const movedNote = (folder: string): string =>
  `\n\n[The user has opened further folders. Until now, paths were relative to the folder "${folder}". From now on, they begin with the name of a folder: "${folder}/…".]`

/** Whether only files were restored, so that the conversation describes changes that no longer exist. */
function filesRestored({ state, before, fork }: RestoreRecord): boolean {
  return state === 'done' && before !== undefined && fork === undefined
}

const folderBefore = (item: ConversationItem): string | undefined => (item.kind === 'notice' ? item.folder : undefined)

/** Returns the text of a user message, with a note if the mode changed since the previous one. */
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

// Successive requests contain the same message objects, so that values computed from a message (JSON, size) are
// computed once. Items are replaced and never changed, except an answer while it is streamed.

let lastSystem: SourcedMessage & { message: { role: 'system' } } = { message: { role: 'system', content: '' } }

function systemMessage(content: string): SourcedMessage {
  if (lastSystem.message.content !== content) lastSystem = { message: { role: 'system', content } }
  return lastSystem
}

const userMessages = new WeakMap<UserItem, SourcedMessage>()

function userMessage(item: UserItem, content: string): SourcedMessage {
  const known = userMessages.get(item)
  if (known?.message.content === content) return known
  const created: SourcedMessage = {
    message: { role: 'user', content, ...imageReferences(item.attachments) },
    item,
  }
  userMessages.set(item, created)
  return created
}

const toModelCall = memoizeObjects((item: ToolItem): ModelCall => ({
  id: item.callId,
  name: item.name,
  arguments: item.arguments,
}))

const resultMessage = memoizeObjects((item: ToolItem): SourcedMessage => ({
  message: { role: 'tool', callId: item.callId, name: item.name, content: resultText(item) },
  item,
}))

const picturesMessage = memoizeObjects((item: ToolItem): SourcedMessage => ({
  message: { role: 'user', content: `[The result of ${item.name}:]`, images: resultImages(item) },
  item,
}))

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>
const assistantMessages = new WeakMap<AssistantItem, { message: AssistantMessage; item: AssistantItem }>()

function assistantMessage(item: AssistantItem, reasoning: string, calls: readonly ToolItem[]): SourcedMessage {
  const toolCalls = calls.map(toModelCall)
  const known = assistantMessages.get(item)
  const isSame =
    known?.message.content === item.text &&
    (known.message.reasoning ?? '') === reasoning &&
    (known.message.toolCalls ?? []).length === toolCalls.length &&
    toolCalls.every((call, at) => call === known.message.toolCalls?.[at])
  if (known && isSame) return known
  const created = {
    message: {
      role: 'assistant' as const,
      content: item.text,
      ...(reasoning && { reasoning }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
    item,
  }
  assistantMessages.set(item, created)
  return created
}
