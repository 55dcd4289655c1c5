import type { ConversationItem } from '../../shared/agent/conversation.ts'

/** Names an MCP resource or prompt, or an element or picture of a page, in the messages of the last turn; undefined if they contain none. */
export function outsideSource(items: readonly ConversationItem[]): string | undefined {
  const begin = items.findLastIndex((item) => item.kind === 'user' && !item.steered && !item.nudge)
  for (const item of items.slice(Math.max(0, begin))) {
    if (item.kind !== 'user') continue
    const resource = item.attachments?.find(({ kind }) => kind === 'resource')
    if (resource) return `the resource ${resource.label}`
    // Its label comes from the page, and could say that the user agrees.
    if (item.attachments?.some(({ kind }) => kind === 'element')) return 'an element of a page'
    if (item.attachments?.some((each) => each.kind === 'image' && each.fromPage === true)) return 'a picture of a page'
    if (item.serverPrompt !== undefined) return `the prompt /${item.serverPrompt}`
  }
  return undefined
}
