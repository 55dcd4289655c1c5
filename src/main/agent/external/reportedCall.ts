import { randomUUID } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import type { ToolItem } from '../../../shared/agent/conversation.ts'
import { copySubstring } from '../../base/copySubstring.ts'
import type { SessionUpdate, ToolCallContent, ToolKind } from '../../acp/agentTypes.ts'

/** Maximum characters of a result on a card. */
export const maxResult = 100_000
/** Maximum characters of a title and of an input on a card. */
const maxTitle = 10_000
const maxInput = 20_000

/** Names of the cards by kind of call. */
const names: Readonly<Record<ToolKind, string>> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'run_command',
  think: 'think',
  fetch: 'web_fetch',
  switch_mode: 'switch_mode',
  other: 'tool',
}

type Diff = Extract<ToolCallContent, { type: 'diff' }>

/** A partial update of a call, with its id. */
export type CallUpdate = Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>, 'sessionUpdate'>

/** The known state of an agent's call. Later updates replace fields. */
export interface ReportedCall {
  item: ToolItem
  kind: ToolKind
  /** The whole title. */
  title: string
  rawInput: unknown
  /** The input before the latest update. A permission request may repeat only some of its fields. */
  earlierInput: unknown
  content: readonly ToolCallContent[]
  /** The latest reported diffs. Some agents replace them by text when the call ends. */
  diffs: readonly Diff[]
  /** The latest output of a command that the agent runs itself. */
  output: string
  /** Paths of the latest locations and diffs. */
  paths: readonly string[]
}

/** Creates the running call that an external agent reports. */
export function newCard(assistantId: string, callId: string, name: string, args: Record<string, unknown>): ToolItem {
  return {
    id: randomUUID(),
    kind: 'tool',
    at: Date.now(),
    assistantId,
    callId,
    name,
    arguments: JSON.stringify(args),
    state: 'running',
  }
}

/**
 * Applies an update to the known state of a call.
 * @param asks whether the update is a permission request, whose text is not a result
 * @param assistantId of the answer to which a new card belongs
 */
export function updatedCall(
  known: ReportedCall | undefined,
  update: CallUpdate,
  asks: boolean,
  assistantId: string,
): ReportedCall {
  const kind = update.kind ?? known?.kind ?? 'other'
  const title = update.title ?? known?.title ?? ''
  const content = (asks ? undefined : update.content) ?? known?.content ?? []
  const reported = (update.content ?? []).filter((part) => part.type === 'diff')
  const diffs = reported.length > 0 ? reported : (known?.diffs ?? [])
  const located = (update.locations ?? []).map(({ path }) => path)
  const edited = diffs.map(({ path }) => path)
  const args = { title: copySubstring(title, 0, maxTitle), ...inputForCard(update.rawInput ?? undefined) }
  const item = known?.item ?? newCard(assistantId, update.toolCallId, names[kind], args)
  return {
    item: {
      ...item,
      name: names[kind],
      ...((update.rawInput !== undefined || update.title !== undefined) && { arguments: JSON.stringify(args) }),
    },
    kind,
    title,
    rawInput: update.rawInput ?? known?.rawInput,
    earlierInput: known?.rawInput,
    content,
    diffs,
    output: lastPart((known?.output ?? '') + terminalOutputOf(update._meta)),
    paths: [...new Set([...(located.length > 0 ? located : (known?.paths ?? [])), ...edited])],
  }
}

/** Drops the beginning of a long output, but rarely, because that copies the rest. */
function lastPart(output: string): string {
  return output.length > 2 * maxResult ? copySubstring(output, output.length - maxResult, output.length) : output
}

/** Returns the text that a call has returned. */
export function reportedResultText({ content, output }: ReportedCall, rawOutput: unknown): string {
  const reported = content
    .map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : ''))
    .join('\n')
  const texts = [reported, stripVTControlCharacters(output.slice(-maxResult)), outputOf(rawOutput)]
  return copySubstring(texts.find((each) => each.trim() !== '') ?? '', 0, maxResult)
}

/** Returns an input for a card, truncated if it is long. */
export function inputForCard(rawInput: unknown): Record<string, unknown> {
  if (typeof rawInput !== 'object' || rawInput === null) return {}
  const text = JSON.stringify(rawInput)
  if (text.length > maxInput) return { input: `${copySubstring(text, 0, maxInput)}…` }
  return Array.isArray(rawInput) ? { input: rawInput } : { ...rawInput }
}

/** Fields of `_meta` in which agents send the output of their own commands piece by piece, a convention of Zed. */
const terminalFields = ['terminal_output', 'terminal_output_delta']

function terminalOutputOf(meta: CallUpdate['_meta']): string {
  const pieces = terminalFields.map((name) => meta?.[name])
  return pieces
    .map((piece) => (typeof piece === 'object' && piece !== null && 'data' in piece ? piece.data : ''))
    .filter((data) => typeof data === 'string')
    .join('')
}

/** Fields of `rawOutput` in which agents send the output of a call that has no `content`. */
const outputFields = ['formatted_output', 'aggregated_output', 'output', 'stdout', 'error']

function outputOf(rawOutput: unknown): string {
  if (typeof rawOutput === 'string') return rawOutput
  if (typeof rawOutput !== 'object' || rawOutput === null) return ''
  const fields = new Map(Object.entries(rawOutput))
  return outputFields.map((name) => fields.get(name)).find((value) => typeof value === 'string' && value !== '') ?? ''
}
