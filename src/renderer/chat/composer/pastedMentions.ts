import type { Attachment } from '../../../shared/agent/attachments.ts'
import { maxMentions, mentionsIn, parseMentions, resourceLabel, type Mention } from '../../../shared/agent/mentions.ts'

/** Returns the mentions in a pasted text. A mention that is pasted alone counts as the user's own. */
export function pastedMentions(text: string): string[] {
  const found = parseMentions(text).map(({ raw }) => raw)
  return found.length === 1 && found[0] === text.trim() ? [] : found
}

/** Returns the mentions in a sent message that count as pasted when it is sent again: those without an attachment. */
export function unattachedMentions(text: string, attachments: readonly Attachment[] = []): string[] {
  const wasAttached = ({ target }: Mention): boolean => {
    if (typeof target === 'string') return attachments.some(({ kind }) => kind === target)
    if ('uri' in target)
      return attachments.some(({ kind, label }) => kind === 'resource' && label === resourceLabel(target))
    return false
  }
  return parseMentions(text)
    .filter((mention) => !wasAttached(mention))
    .map(({ raw }) => raw)
}

/**
 * Returns what main needs to know about a message's mentions. Those that the user picked or quoted must exist. Pasted
 * text may mention missing files, and nothing but files is read: MCP resources would be requested without approval, and
 * words such as `@diff` or `@"text"` are code in some languages.
 */
export function mentionParams(
  text: string,
  chosen: readonly string[],
  pasted: readonly string[],
): { chosen?: string[]; mentions?: string[] } {
  const mentions = parseMentions(text)
  const others = mentions.filter(({ raw }) => pasted.includes(raw) && !chosen.includes(raw))
  const unread = others.filter(({ target }) => typeof target === 'string' || 'uri' in target).map(({ raw }) => raw)
  const quoted = mentions.filter((mention) => mention.quoted && !others.includes(mention)).map(({ raw }) => raw)
  // Excludes those that the user deleted from the text.
  const required = [...new Set([...chosen.filter((mention) => text.includes(mention)), ...quoted])]
  return {
    ...(required.length > 0 && { chosen: required.slice(0, maxMentions) }),
    ...(unread.length > 0 && { mentions: mentionsIn(text, unread) }),
  }
}
