import { maxImages, type Attachment, type ImageAttachment, type MentionAttachment } from '../../shared/attachments.ts'
import { isAbort, ToolError, toFailure } from '../../shared/errors.ts'
import { parseMentions, type Mention } from '../../shared/mentions.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { plural } from '../../shared/plural.ts'
import { truncateAtLine, promptBlock, allocateRoom } from '../instructions/instructionText.ts'
import { readPlace, readSpecial, type MentionServices, type Mentioned } from './mentionReader.ts'
import { maxMentioned } from '../../shared/contextAllocation.ts'

export interface OutgoingMessage {
  text: string
  /** Mentions chosen from the list of suggestions, as written. These and quoted ones must exist; others may be plain words. */
  chosen?: readonly string[]
  images?: readonly ImageAttachment[]
}

/** Maximum number of mentions in one message; further ones are plain text. */
const maxMentions = 30

/**
 * Reads what a message mentions, from open buffers first, truncated to fit the context window.
 * @param contextWindow tokens, when known
 * @throws ToolError `not_found`, `invalid_arguments`, `cancelled`, or an error of reading; nothing may be sent then
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
  const mentioned: Mentioned[] = []
  for (const mention of distinct(parseMentions(message.text))) {
    const found = await read(mention, chosen.has(mention.raw) || mention.quoted, services, signal)
    if (found) mentioned.push(found)
  }
  return [...fit(mentioned, maxMentioned(contextWindow)), ...images]
}

function distinct(mentions: readonly Mention[]): Mention[] {
  return [...new Map(mentions.map((mention) => [mention.raw, mention])).values()].slice(0, maxMentions)
}

/** @returns undefined for a word that only looks like a mention */
async function read(
  { target, raw }: Mention,
  required: boolean,
  services: () => MentionServices,
  signal: AbortSignal,
): Promise<Mentioned | undefined> {
  try {
    return await (typeof target === 'string'
      ? readSpecial[target](services(), signal)
      : readPlace(target, services(), signal))
  } catch (error) {
    const { code, message, next } = toFailure(error)
    if (isAbort(error) || code === 'internal') throw error
    if (required)
      throw new ToolError(
        code,
        `${raw} could not be attached. ${message}`,
        next || 'Correct or remove it; nothing was sent.',
        { cause: error },
      )
    return undefined
  }
}

/** Truncates texts to their share of `maxCharacters`. What short texts do not use goes to longer ones. */
function fit(mentioned: readonly Mentioned[], maxCharacters: number): MentionAttachment[] {
  const limits = allocateRoom(
    mentioned.map(({ text }) => text.length),
    maxCharacters,
  )
  return mentioned.map((item, index) => {
    const { note, keepEnd, ...rest } = item
    const limit = limits[index] ?? 0
    const { text, missing } = keepEnd ? truncateStart(item.text, limit) : truncateAtLine(item.text, limit)
    const cut = [note, missing > 0 && `${formatNumber(missing)} of ${plural(item.text.length, 'character')}`]
      .filter(Boolean)
      .join('; ')
    return { ...rest, text, ...(cut === '' ? {} : { cut }) }
  })
}

function truncateStart(text: string, limit: number): { text: string; missing: number } {
  if (text.length <= limit) return { text, missing: 0 }
  const kept = text.slice(text.length - limit)
  const line = kept.indexOf('\n') + 1
  return { text: kept.slice(line), missing: text.length - kept.length + line }
}

/** A message's text followed by its attachments, as sent to the model. The same message always gives the same bytes. */
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
