import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { mentionText } from '../../../shared/agent/mentions.ts'

/** A picture in a prompt. `data`: the bytes in base64. */
export interface PromptPicture {
  label: string
  data: string
}

/** A prompt in the parts from which a message is composed. */
export interface PromptContent {
  /** What the user wrote, with mentions of linked files. */
  text: string
  /** Texts that the client embedded, which may have been written by anyone. */
  embedded: string[]
  pictures: PromptPicture[]
}

/**
 * Converts the content of a prompt. Links to files of the workspace become mentions, whose content main reads.
 * @param root real path of the workspace
 */
export function readPrompt(blocks: readonly ContentBlock[], root: string): PromptContent {
  let text = ''
  const texts: string[] = []
  const pictures: PromptPicture[] = []
  const add = (part: string): void => {
    text += text === '' || /\s$/.test(text) ? part : ` ${part}`
  }
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text += block.text
        break
      case 'resource_link':
        add(mentionOf(block.uri, root) ?? block.uri)
        break
      case 'resource':
        if ('text' in block.resource) texts.push(embedded(block.resource.uri, block.resource.text, root))
        else add(block.resource.uri)
        break
      case 'image':
        pictures.push({ label: block.uri ?? `Image ${pictures.length + 1}`, data: block.data })
        break
      case 'audio':
        add('(Audio was attached. It cannot be read.)')
        break
    }
  }
  const own = text.trim()
  // The core sends no message without text.
  const missing = own === '' && texts.length === 0 && pictures.length > 0
  return { text: missing ? 'Look at the attached image.' : own, embedded: texts, pictures }
}

/** Returns the mention of a file of the workspace, with the lines of the fragment (`#L3` or `#L3:9`). */
function mentionOf(uri: string, root: string): string | undefined {
  const place = placeOf(uri, root)
  return place && mentionText(place)
}

function placeOf(uri: string, root: string): { path: string; line?: number; endLine?: number } | undefined {
  let url: URL
  try {
    url = new URL(uri)
  } catch {
    return undefined
  }
  if (url.protocol !== 'file:') return undefined
  const [, first, last] = /^#L(\d{1,9})(?:[:-]L?(\d{1,9}))?$/.exec(url.hash) ?? []
  url.hash = ''
  url.search = ''
  let path: string
  try {
    path = relative(root, fileURLToPath(url))
  } catch {
    return undefined
  }
  if (path === '' || path === '..' || path.startsWith(`..${sep}`)) return undefined
  return {
    path: path.split(sep).join('/'),
    ...(first !== undefined && { line: Number(first), endLine: Number(last ?? first) }),
  }
}

function embedded(uri: string, text: string, root: string): string {
  const place = placeOf(uri, root)
  const lines = place?.line === undefined ? '' : `, lines ${place.line} to ${place.endLine}`
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `Attached: ${place?.path ?? uri}${lines}\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}
