import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { Risk } from '../../shared/tools/risk.ts'
import type { JsonSchema, Picture } from '../../shared/tools/tool.ts'

/** A tool of a connected server. */
export interface McpTool {
  /** `server__tool`. */
  name: string
  server: string
  /** Identifies the server (`McpServerStatus.key`), since names can repeat. */
  serverKey: string
  /** Name used by the server. */
  tool: string
  title: string
  description: string
  schema: JsonSchema
  risk: Risk
  off: boolean
  /** Hash of the definition that the server provides. */
  fingerprint: string
  /** Throws like `Connection.call`. */
  call(
    args: Record<string, unknown>,
    options: { signal: AbortSignal; progress(text: string): void },
  ): Promise<McpResult>
}

/** A tool result: text for the model, images for the user. */
export interface McpResult {
  text: string
  /** `text` is JSON, from structured content without a text. */
  json: boolean
  pictures: Picture[]
}

/** Maximum characters. The toolset truncates further for the model. */
const maxText = 1_000_000
const maxPictures = 4
/** Maximum base64 characters of an image, since it is stored in the conversation. */
const maxPicture = 1_500_000
/** Image types that the window displays; SVG can contain scripts. */
const pictureTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Converts a server's result. @throws ToolError server_error with the server's message if the tool failed */
export function toolResult(result: CallToolResult, tool: string): McpResult {
  const pictures: Picture[] = []
  const parts = result.content.map((block) => blockText(block, pictures))
  const only = parts.length === 0 ? result.structuredContent : undefined
  const structured = only === undefined ? undefined : JSON.stringify(only, null, 2)
  const whole = structured ?? parts.join('\n\n')
  const truncated = whole.length > maxText
  const rest = `\n[The server responded with ${plural(whole.length, 'character')}; the rest is omitted.]`
  const text = truncated ? whole.slice(0, maxText).toWellFormed() + rest : whole
  if (result.isError) {
    const reason = text.trim() === '' ? 'The server gave no reason.' : text.slice(0, 10_000).toWellFormed()
    const next = 'Read the message, change the arguments, or work without this tool.'
    throw new ToolError('server_error', `The tool ${tool} of the MCP server failed: ${reason}`, next)
  }
  return {
    text: text === '' ? 'Done; the server returned no content.' : text,
    json: structured !== undefined && !truncated,
    pictures,
  }
}

function blockText(block: ContentBlock, pictures: Picture[]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image': {
      const fits = block.data.length <= maxPicture && pictures.length < maxPictures
      const shown = fits && pictureTypes.has(block.mimeType) && isBase64(block.data)
      if (shown) pictures.push({ mimeType: block.mimeType, data: block.data })
      return `[A picture, ${block.mimeType}, ${base64Size(block.data)}${shown ? '; the user sees it' : ''}.]`
    }
    case 'audio':
      return `[Audio, ${block.mimeType}, ${base64Size(block.data)}; it cannot be played here.]`
    case 'resource': {
      const { resource } = block
      const kind = resource.mimeType === undefined ? '' : `, ${resource.mimeType}`
      if ('text' in resource) return `[${resource.uri}${kind}]\n${resource.text}`
      return `[${resource.uri}${kind}, ${base64Size(resource.blob)}; not text.]`
    }
    case 'resource_link':
      return `[${[`${block.name}: ${block.uri}`, block.description].filter(Boolean).join(', ')}]`
  }
}

/** Formats the size of base64 data. */
export function base64Size(data: string): string {
  const bytes = Math.floor((data.length * 3) / 4)
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`
}

export function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(data)
}
