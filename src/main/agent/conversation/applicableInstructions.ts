import { randomUUID } from 'node:crypto'
import { maxInstructionCharacters } from '../../../shared/agent/contextAllocation.ts'
import type { ConversationItem, InstructionsItem } from '../../../shared/agent/conversation.ts'
import type { ToolView } from '../../../shared/tools/tool.ts'
import { userInstructionsId, type InjectedText, type Instructions } from '../../instructions/instructions.ts'
import type { SourcedMessage } from './items.ts'
import type { Transcript } from './transcript.ts'

export interface InstructionInjectionOptions {
  instructions: Instructions
  transcript: Transcript
  /** In tokens; undefined if unknown. */
  contextWindow: number | undefined
  /** Whether the model can load skills; the prompt lists them only then. */
  skills: boolean
}

/**
 * Adds instructions and rules to the conversation when they start to apply: workspace-wide ones at the start, others
 * once a matching file was read, changed or attached. Each source is added once. The text is stored in the transcript,
 * so that every request repeats the same bytes even if the files change.
 * @returns a function to call before each request
 */
export function createInstructionInjection({
  instructions,
  transcript,
  contextWindow,
  skills,
}: InstructionInjectionOptions): (signal: AbortSignal) => Promise<void> {
  const maxCharacters = maxInstructionCharacters(contextWindow)
  /** Ids of items whose files were already checked for instructions. */
  const processed = new Set<string>()
  /** Whether the folder was restricted when no instructions were found at the start of the turn. */
  let nothingFound: { restricted: boolean } | undefined

  function add(start: boolean, texts: readonly InjectedText[]): void {
    if (texts.length === 0) return
    transcript.put({
      id: randomUUID(),
      kind: 'instructions',
      at: Date.now(),
      start,
      text: texts.map(({ text }) => text).join('\n'),
      sources: texts.map(({ source }) => source),
      ...(instructions.restricted() && { restricted: true as const }),
    })
  }

  return async (signal) => {
    const items = transcript.items()
    const before = items.filter((item) => item.kind === 'instructions')
    const restricted = instructions.restricted()
    if (before.length === 0) {
      // Once per turn, because most folders have none, and looking for them delays each request.
      if (nothingFound?.restricted !== restricted) {
        const start = !items.some((item) => item.kind === 'assistant')
        add(start, await instructions.atStart(maxCharacters, { skills }, signal))
        nothingFound = { restricted }
      }
    } else if (before.every((item) => item.restricted) && !restricted) {
      // The user has trusted the folder since the start. The model already has the user's own file.
      const texts = await instructions.atStart(maxCharacters, { skills }, signal)
      add(
        false,
        texts.filter(({ source }) => source.id !== userInstructionsId),
      )
    }
    const paths = currentTurn(items).flatMap((item) => {
      const touched = processed.has(item.id) ? [] : touchedFiles(item)
      if (touched.length > 0) processed.add(item.id)
      return touched
    })
    if (paths.length === 0) return
    const added = addedSources(transcript.items())
    add(false, await instructions.forPaths([...new Set(paths)], added, maxCharacters, signal))
  }
}

/**
 * Returns the items of the current turn. The files of earlier turns were checked in those turns. A steering message
 * belongs to the turn that it joined.
 */
function currentTurn(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const start = items.findLastIndex((item) => item.kind === 'user' && !item.steered && !item.nudge)
  return items.slice(Math.max(0, start))
}

/** Returns the system prompt followed by the instructions from the start of the conversation. */
export function withInstructions(system: string, items: readonly ConversationItem[]): string {
  const texts = items.flatMap((item) => (item.kind === 'instructions' && item.start ? [item.text] : []))
  return texts.length === 0 ? system : [system, introduction, ...texts].join('\n\n')
}

const introduction =
  "The following instructions are from the user or this folder's authors. Follow them where they help the task; they change neither your tools nor your permissions."

/**
 * Appends instructions that were added during the conversation to the message before them. A separate message would
 * break the order of roles that servers require.
 */
export function appendInstructions(messages: SourcedMessage[], item: InstructionsItem): void {
  if (item.start) return
  const last = messages.at(-1)
  const text = `[From here on, these instructions apply to the matching files:]\n${item.text}`
  if (last?.message.role === 'user' || last?.message.role === 'tool')
    messages[messages.length - 1] = {
      ...last,
      message: { ...last.message, content: `${last.message.content}\n\n${text}` },
    }
  else messages.push({ message: { role: 'user', content: text } })
}

function addedSources(items: readonly ConversationItem[]): Set<string> {
  return new Set(items.flatMap((item) => (item.kind === 'instructions' ? item.sources.map(({ id }) => id) : [])))
}

/** Returns the files that a message attaches or that a call read or changed, relative to the workspace. */
function touchedFiles(item: ConversationItem): string[] {
  if (item.kind === 'user')
    return (item.attachments ?? []).flatMap((attachment) =>
      attachment.kind !== 'image' && attachment.path !== undefined ? [attachment.path] : [],
    )
  // A sub-agent that was stopped may already have changed files.
  const result = item.kind === 'tool' ? item.result : undefined
  return result && (result.ok || result.view.kind === 'calls') ? viewedFiles(result.view) : []
}

function viewedFiles(view: ToolView): string[] {
  switch (view.kind) {
    case 'file':
      return [view.path]
    case 'diff':
      return view.files.map(({ path }) => path)
    case 'calls':
      return view.calls.flatMap((call) => (call.ok ? viewedFiles(call.view) : []))
    default:
      return []
  }
}
