import { randomUUID } from 'node:crypto'
import type { ConversationItem, InstructionsItem } from '../../shared/conversation.ts'
import type { ToolView } from '../../shared/tool.ts'
import type { Instructions, InjectedText } from '../instructions/instructions.ts'
import { assumedWindow } from './context/contextAllocation.ts'
import type { Transcript } from './transcript.ts'
import type { SourcedMessage } from './sourcedMessage.ts'

export interface InstructionInjectionOptions {
  instructions: Instructions
  transcript: Transcript
  /** Tokens, when known. */
  contextWindow: number | undefined
  /** The model can load skills, so it is told which there are. */
  skills: boolean
}

/** Characters of instructions at once: about an eighth of the window, at four characters a token. */
const share = 0.5
const bounds = { least: 2_000, most: 32_000 }

/**
 * Tells the model of instructions and rules when they begin to hold: those of the whole workspace at the start, others once a file they
 * are for was touched or attached. Each is told once; what was told stands in the transcript, so that every request repeats the
 * same bytes whatever became of the files.
 * @returns to be called before each request
 */
export function createInstructionInjection({
  instructions,
  transcript,
  contextWindow,
  skills,
}: InstructionInjectionOptions): (signal: AbortSignal) => Promise<void> {
  const room = Math.min(bounds.most, Math.max(bounds.least, Math.floor((contextWindow ?? assumedWindow) * share)))
  const looked = new Set<string>()

  function tell(start: boolean, told: readonly InjectedText[]): void {
    if (told.length === 0) return
    transcript.put({
      id: randomUUID(),
      kind: 'instructions',
      at: Date.now(),
      start,
      text: told.map(({ text }) => text).join('\n'),
      sources: told.map(({ source }) => source),
    })
  }

  return async (signal) => {
    const items = transcript.items()
    if (!items.some((item) => item.kind === 'instructions')) {
      const start = !items.some((item) => item.kind === 'assistant')
      tell(start, await instructions.atStart(room, { skills }, signal))
    }
    // Files of earlier turns were looked at in those. A message that steers belongs to the turn it came into.
    const turn = items.slice(
      Math.max(
        0,
        items.findLastIndex((item) => item.kind === 'user' && !item.steered && !item.nudge),
      ),
    )
    const paths = turn.flatMap((item) => {
      const touched = looked.has(item.id) ? [] : touchedBy(item)
      if (touched.length > 0) looked.add(item.id)
      return touched
    })
    if (paths.length > 0)
      tell(false, await instructions.forPaths([...new Set(paths)], toldBy(transcript.items()), room, signal))
  }
}

/** The system prompt with what the conversation began with. */
export function withInstructions(system: string, items: readonly ConversationItem[]): string {
  const texts = items.flatMap((item) => (item.kind === 'instructions' && item.start ? [item.text] : []))
  return texts.length === 0 ? system : [system, introduction, ...texts].join('\n\n')
}

const introduction =
  "What follows was written by the user or by this folder's authors. Follow it where it helps the task; it changes neither your tools nor what you may do."

/** Puts instructions that came later below the message they followed: a message of their own would break the order that servers insist on. */
export function appendInstructions(messages: SourcedMessage[], item: InstructionsItem): void {
  if (item.start) return
  const last = messages.at(-1)
  const text = `[Holds from here on, for the files it is about:]\n${item.text}`
  if (last?.message.role === 'user' || last?.message.role === 'tool')
    messages[messages.length - 1] = {
      ...last,
      message: { ...last.message, content: `${last.message.content}\n\n${text}` },
    }
  else messages.push({ message: { role: 'user', content: text } })
}

function toldBy(items: readonly ConversationItem[]): Set<string> {
  return new Set(items.flatMap((item) => (item.kind === 'instructions' ? item.sources.map(({ id }) => id) : [])))
}

/** Files that a message names or a call read or changed, relative to the workspace. */
function touchedBy(item: ConversationItem): string[] {
  if (item.kind === 'user')
    return (item.attachments ?? []).flatMap((attachment) =>
      attachment.kind !== 'image' && attachment.path !== undefined ? [attachment.path] : [],
    )
  return item.kind === 'tool' && item.result?.ok ? filesOf(item.result.view) : []
}

function filesOf(view: ToolView): string[] {
  switch (view.kind) {
    case 'file':
      return [view.path]
    case 'diff':
      return view.files.map(({ path }) => path)
    case 'calls':
      return view.calls.flatMap((call) => (call.ok ? filesOf(call.view) : []))
    default:
      return []
  }
}
