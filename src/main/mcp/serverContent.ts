import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ReadResourceResultSchema,
  type ContentBlock,
} from '@modelcontextprotocol/sdk/types.js'
import { imageTypes, maxImageBytes, maxImages } from '../../shared/agent/attachments.ts'
import { ToolError } from '../../shared/errors.ts'
import type { McpPrompt, McpResource } from '../../shared/tools/mcp.ts'
import { plural } from '../../shared/text/plural.ts'
import type { Picture } from '../../shared/tools/tool.ts'
import { withoutHiddenCharacters } from '../../shared/text/visibleText.ts'
import type { ServerLog } from '../base/serverLog.ts'
import { base64Size, isBase64 } from './mcpTool.ts'
import type { McpTimeouts } from './mcpTimeouts.ts'
import { safeErrorMessage } from './serverFailureMessages.ts'

/** Prompts and resources that a server lists. */
export interface ServerContent {
  /** Without command names, which depend on the other servers. */
  prompts: readonly Omit<McpPrompt, 'command'>[]
  resources: readonly McpResource[]
}

export const noContent: ServerContent = { prompts: [], resources: [] }

/** Maximum pages and entries of a list. */
const maxPages = 20
const maxEntries = 200
/** Maximum characters of a name or URI, of a description, and of a text for the model. */
const maxName = 500
const maxDescription = 1000
const maxText = 200_000

/** Reads a list page by page, at most 200 entries. */
export async function listPages<T>(
  what: string,
  log: ServerLog,
  page: (cursor: string | undefined) => Promise<{ entries: readonly T[]; nextCursor?: string | undefined }>,
): Promise<T[]> {
  const found: T[] = []
  let cursor: string | undefined
  for (let at = 0; at < maxPages && found.length < maxEntries; at += 1) {
    const { entries, nextCursor } = await page(cursor)
    found.push(...entries)
    cursor = nextCursor
    if (cursor === undefined) break
  }
  if (found.length > maxEntries || cursor !== undefined)
    log.add(`More than ${maxEntries} ${what} are listed; the others are ignored.`)
  return found.slice(0, maxEntries)
}

interface ListOptions {
  log: ServerLog
  times: McpTimeouts
}

/** Lists prompts and resources. A server whose lists fail keeps its tools; the log has the reason. */
export async function listContent(client: Client, options: ListOptions, signal: AbortSignal): Promise<ServerContent> {
  const { log, times } = options
  const capabilities = client.getServerCapabilities()
  const settings = { timeout: times.start, signal }
  const params = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })
  const list = async <T>(what: string, page: Parameters<typeof listPages<T>>[2]): Promise<T[]> => {
    try {
      return await listPages(what, log, page)
    } catch (error) {
      signal.throwIfAborted()
      log.add(`The ${what} could not be listed: ${safeErrorMessage(error)}`)
      return []
    }
  }
  const prompts = !capabilities?.prompts
    ? []
    : await list('prompts', async (cursor) => {
        const request = { method: 'prompts/list', params: params(cursor) }
        const { prompts: entries, nextCursor } = await client.request(request, ListPromptsResultSchema, settings)
        return { entries, nextCursor }
      })
  if (!capabilities?.resources) return { prompts: prompts.map(toPrompt), resources: [] }
  const resources = await list('resources', async (cursor) => {
    const request = { method: 'resources/list', params: params(cursor) }
    const { resources: entries, nextCursor } = await client.request(request, ListResourcesResultSchema, settings)
    return { entries, nextCursor }
  })
  const templates = await list('resource templates', async (cursor) => {
    const request = { method: 'resources/templates/list', params: params(cursor) }
    const result = await client.request(request, ListResourceTemplatesResultSchema, settings)
    return { entries: result.resourceTemplates, nextCursor: result.nextCursor }
  })
  return {
    prompts: prompts.map(toPrompt),
    resources: [
      ...resources.map((entry) => toResource(entry, entry.uri, false)),
      ...templates.map((entry) => toResource(entry, entry.uriTemplate, true)),
    ].filter(({ uri }) => uri !== ''),
  }
}

interface Listed {
  name: string
  description?: string | undefined
}

function toPrompt({
  name,
  description,
  arguments: args = [],
}: Listed & {
  arguments?: (Listed & { required?: boolean | undefined })[] | undefined
}): Omit<McpPrompt, 'command'> {
  return {
    name: name.slice(0, maxName),
    description: clean(description ?? '', maxDescription),
    arguments: args.slice(0, 20).map((arg) => ({
      name: arg.name.slice(0, maxName),
      description: clean(arg.description ?? '', maxDescription),
      required: arg.required === true,
    })),
  }
}

/** Leaves out URIs that are very long or have hidden characters, because the user could not see what is attached. */
function toResource({ name, description }: Listed, uri: string, template: boolean): McpResource {
  const usable = uri.length <= maxName && withoutHiddenCharacters(uri) === uri && !/[\s"]/.test(uri)
  return {
    uri: usable ? uri : '',
    name: clean(name, maxName),
    description: clean(description ?? '', maxDescription),
    template,
  }
}

const clean = (text: string, max: number): string => withoutHiddenCharacters(text).slice(0, max).toWellFormed()

/** Returns the messages of a prompt as one text. @throws McpError from the server */
export async function getPrompt(
  client: Client,
  name: string,
  args: Readonly<Record<string, string>>,
  { timeout, signal }: { timeout: number; signal: AbortSignal },
): Promise<string> {
  const request = { method: 'prompts/get', params: { name, arguments: args } }
  const { messages } = await client.request(request, GetPromptResultSchema, { timeout, signal })
  const texts = messages.map(({ role, content }) => `${role === 'assistant' ? 'Assistant: ' : ''}${blockText(content)}`)
  const text = texts.join('\n\n').trim()
  if (text === '') throw new ToolError('server_error', `The prompt ${name} of the MCP server is empty.`)
  return truncated(withoutHiddenCharacters(text))
}

/** The content of a resource. */
export interface ResourceContent {
  /** Content other than text is described in brackets. */
  text: string
  pictures: Picture[]
}

/**
 * Reads a resource.
 * @throws ToolError binary_file if it has neither text nor a picture; McpError from the server
 */
export async function readResource(
  client: Client,
  uri: string,
  { timeout, signal }: { timeout: number; signal: AbortSignal },
): Promise<ResourceContent> {
  const request = { method: 'resources/read', params: { uri } }
  const { contents } = await client.request(request, ReadResourceResultSchema, { timeout, signal })
  const pictures: Picture[] = []
  const texts = contents.map((content) => {
    if ('text' in content) return content.text
    const mimeType = clean(content.mimeType ?? 'type unknown', maxName)
    const kind = `${mimeType}, ${base64Size(content.blob)}`
    if (pictures.length >= maxImages || !isPicture({ mimeType, data: content.blob })) return `[Not text: ${kind}.]`
    pictures.push({ mimeType, data: content.blob })
    return `[A picture: ${kind}.]`
  })
  const [only] = contents
  if (pictures.length === 0 && !contents.some((content) => 'text' in content)) {
    throw new ToolError(
      'binary_file',
      only === undefined
        ? `The resource ${uri} is empty.`
        : `The resource ${uri} is neither text nor an image that models support. ${texts.join(' ').slice(0, maxDescription)}`,
      'Attach text, or a PNG, JPEG, WebP or GIF picture of at most 4 MB.',
    )
  }
  return { text: truncated(texts.join('\n\n')), pictures }
}

function isPicture({ mimeType, data }: Picture): boolean {
  return imageTypes.some((type) => type === mimeType) && data.length <= maxImageBytes * (4 / 3) + 4 && isBase64(data)
}

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource')
    return 'text' in block.resource ? `[${block.resource.uri}]\n${block.resource.text}` : `[${block.resource.uri}]`
  if (block.type === 'resource_link') return `[${block.name}: ${block.uri}]`
  return `[${block.type}, ${block.mimeType}, left out]`
}

function truncated(text: string): string {
  if (text.length <= maxText) return text
  return `${text.slice(0, maxText).toWellFormed()}\n[${plural(text.length - maxText, 'more character')} left out]`
}
