import { maxImages, type Attachment, type ImageAttachment, type MentionAttachment } from '../../shared/attachments.ts'
import { isAbort, ToolError, toFailure } from '../../shared/errors.ts'
import { parseMentions, type Mention } from '../../shared/mentions.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { plural } from '../../shared/plural.ts'
import { truncateAtLine, promptBlock, allocateRoom } from '../instructions/instructionText.ts'
import { readPlace, readSpecial, type MentionServices, type Named } from './mentionReader.ts'
import { maxMentioned } from '../../shared/contextAllocation.ts'

export interface OutgoingMessage {
  text: string
  /** Mentions that the user chose from a list, as written: these must exist, as must those in quotes. Another may be a plain word. */
  chosen?: readonly string[]
  images?: readonly ImageAttachment[]
}

/** Mentions of one message; more are plain words. */
const maxMentions = 30

/**
 * What a message carries, read now: open buffers first, each in a part of what the window has room for. Nothing is sent when one
 * of them cannot be read. Throws `not_found`, `invalid_arguments`, `cancelled`, and what reading throws.
 * @param contextWindow tokens, when known
 */
export async function collectAttachments(
  message: OutgoingMessage,
  services: () => MentionServices,
  contextWindow: number | undefined,
  signal: AbortSignal,
): Promise<Attachment[]> {
  const images = message.images ?? []
  if (images.length > maxImages)
    throw new ToolError(
      'invalid_arguments',
      `A message takes ${maxImages} pictures at most; this one has ${images.length}.`,
      'Remove some.',
    )
  const chosen = new Set(message.chosen)
  const named: Named[] = []
  for (const mention of distinct(parseMentions(message.text))) {
    const found = await read(mention, chosen.has(mention.raw) || mention.quoted, services, signal)
    if (found) named.push(found)
  }
  return [...fitted(named, maxMentioned(contextWindow)), ...images]
}

function distinct(mentions: readonly Mention[]): Mention[] {
  return [...new Map(mentions.map((mention) => [mention.raw, mention])).values()].slice(0, maxMentions)
}

/** Undefined for a word that only looks like a mention. */
async function read(
  { what, raw }: Mention,
  meant: boolean,
  services: () => MentionServices,
  signal: AbortSignal,
): Promise<Named | undefined> {
  try {
    return await (typeof what === 'string'
      ? readSpecial[what](services(), signal)
      : readPlace(what, services(), signal))
  } catch (error) {
    const { code, message, next } = toFailure(error)
    if (isAbort(error) || code === 'internal') throw error
    if (meant)
      throw new ToolError(
        code,
        `${raw} could not be attached. ${message}`,
        next || 'Correct or remove it; nothing was sent.',
        { cause: error },
      )
    return undefined
  }
}

/** Each whole where all fit, else as much of each as is its share: what short ones leave goes to the long ones. */
function fitted(named: readonly Named[], room: number): MentionAttachment[] {
  const limits = allocateRoom(
    named.map(({ text }) => text.length),
    room,
  )
  return named.map((one, at) => {
    const { note, keepEnd, ...rest } = one
    const limit = limits[at] ?? 0
    const { text, missing } = keepEnd ? ending(one.text, limit) : truncateAtLine(one.text, limit)
    const cut = [note, missing > 0 && `${formatNumber(missing)} of ${plural(one.text.length, 'character')}`]
      .filter(Boolean)
      .join('; ')
    return { ...rest, text, ...(cut === '' ? {} : { cut }) }
  })
}

function ending(text: string, limit: number): { text: string; missing: number } {
  if (text.length <= limit) return { text, missing: 0 }
  const kept = text.slice(text.length - limit)
  const line = kept.indexOf('\n') + 1
  return { text: kept.slice(line), missing: text.length - kept.length + line }
}

/** A message's words and below them what they name, as the model reads it: always the same bytes for the same message. */
export function withAttachments(text: string, attachments: readonly Attachment[] | undefined): string {
  const blocks = (attachments ?? []).flatMap((attachment) => (attachment.kind === 'image' ? [] : [asBlock(attachment)]))
  return [text, ...blocks].join('\n\n')
}

function asBlock({ kind, label, path, line, endLine, text, cut }: MentionAttachment): string {
  const lines: Record<string, string> =
    line === undefined || kind === 'problems' ? {} : { lines: `${line}-${endLine ?? line}` }
  const note =
    cut === undefined ? '' : `\n[Not shown here: ${cut}.${path === undefined ? '' : ' Read the file for the rest.'}]`
  return promptBlock(
    'attached',
    { kind, ...(path === undefined ? { from: label } : { path }), ...lines },
    `${text}${note}`,
  )
}
