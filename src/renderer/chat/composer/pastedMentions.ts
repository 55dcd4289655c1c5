import type { Attachment } from '../../../shared/attachments.ts'
import { mentionsIn, parseMentions, resourceLabel } from '../../../shared/mentions.ts'

/**
 * Returns the mentions of a pasted text that are not read: resources of MCP servers, which would be requested without
 * approval, and words such as `@diff`, which are variables in some languages. Mentions of files stay, and a pasted
 * mention alone is the user's own.
 */
export function pastedMentions(text: string): string[] {
  const found = parseMentions(text)
  if (found.length === 1 && found[0]?.raw === text.trim()) return []
  return found.filter(({ target }) => typeof target === 'string' || 'uri' in target).map(({ raw }) => raw)
}

/** Returns the resources that the text of a sent message names without having them attached, e.g. in pasted code. */
export function unreadResources(text: string, attachments: readonly Attachment[] = []): string[] {
  const labels = new Set(attachments.filter(({ kind }) => kind === 'resource').map(({ label }) => label))
  return parseMentions(text)
    .filter(({ target }) => typeof target !== 'string' && 'uri' in target && !labels.has(resourceLabel(target)))
    .map(({ raw }) => raw)
}

/** Returns the parameter for a text with mentions that are not the user's own. */
export function ownMentions(text: string, others: readonly string[]): { mentions?: string[] } {
  return others.some((raw) => text.includes(raw)) ? { mentions: mentionsIn(text, others) } : {}
}
