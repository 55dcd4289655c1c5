import { once } from 'node:events'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RequestError, type PromptRequest, type StopReason, type ContentBlock } from '@agentclientprotocol/sdk'
import type { TurnOutcome } from '../../../shared/agent/conversation.ts'
import { mentionsIn, mentionText } from '../../../shared/agent/mentions.ts'
import type { Core } from '../../core.ts'
import { runTurn } from '../../core/runTurn.ts'
import type { Session } from './openSessions.ts'

const stopReasons: Readonly<Record<Exclude<TurnOutcome, 'endpoint_failed' | 'failed'>, StopReason>> = {
  done: 'end_turn',
  approval_needed: 'end_turn',
  turn_limit: 'max_turn_requests',
  stuck: 'max_turn_requests',
  truncated: 'max_tokens',
  repeating: 'end_turn',
  cancelled: 'cancelled',
}

/**
 * Runs a prompt as a turn of the session's conversation.
 *
 * @param fixPlace waits until the session works where the client chose. It stays where its first prompt begins.
 * @throws RequestError if the turn fails or another one is running
 */
export async function runPrompt(
  session: Session,
  { sessionId, prompt: blocks }: PromptRequest,
  signal: AbortSignal,
  fixPlace: () => Promise<void>,
): Promise<{ stopReason: StopReason }> {
  if (session.prompt)
    throw RequestError.invalidRequest({ sessionId }, 'A prompt is running in this session. Cancel it first.')
  const controller = new AbortController()
  session.prompt = controller
  const interrupted = AbortSignal.any([signal, controller.signal])
  try {
    await Promise.race([fixPlace(), aborted(interrupted)])
    if (interrupted.aborted) return { stopReason: stopReasons.cancelled }
    const { core, root } = session.folder
    // The client names the files of the folder that it opened.
    const roots = session.origin === undefined ? [root] : [root, session.origin]
    const { text, embedded, pictures } = readPrompt(blocks, roots)
    if (text === '' && embedded.length === 0) throw RequestError.invalidParams({ sessionId }, 'The prompt has no text.')
    const images = await Promise.all(pictures.map(async (picture) => core.handlers['images.add'](picture, interrupted)))
    const own = await expanded(core, text, interrupted)
    const outcome = await runTurn(core, {
      id: sessionId,
      text: [own, ...embedded].filter(Boolean).join('\n\n'),
      // An embedded file may contain anything that looks like a mention.
      mentions: mentionsIn(own),
      images: images.map(({ id, label }) => ({ id, label })),
      interrupted,
    })
    const problem = session.updates.takeError()
    if (outcome === 'endpoint_failed' || outcome === 'failed')
      throw RequestError.internalError(undefined, problem ?? 'The turn failed. See the log for the reason.')
    return { stopReason: stopReasons[outcome] }
  } catch (error) {
    // Cancelled before the turn, e.g. while the prompt of an MCP server was being loaded. The protocol wants no error
    // for it.
    if (controller.signal.aborted) return { stopReason: stopReasons.cancelled }
    throw error
  } finally {
    delete session.prompt
  }
}

/** Resolves when a signal is aborted. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Replaces a slash command with its prompt. */
async function expanded(core: Core, text: string, signal: AbortSignal): Promise<string> {
  const [, name, args = ''] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(text) ?? []
  if (name === undefined) return text
  const commands = await core.handlers['prompts.list']({}, signal)
  if (!commands.some((command) => command.name === name)) return text
  return core.handlers['prompts.expand']({ name, args }, signal)
}

/** An image in a prompt. `data`: the bytes in base64. */
interface PromptPicture {
  label: string
  data: string
}

/** A prompt, split into the parts of a message. */
interface PromptContent {
  /** What the user wrote, with mentions of linked files. */
  text: string
  /** Texts embedded by the client, which anyone may have written. */
  embedded: string[]
  pictures: PromptPicture[]
}

/**
 * Converts the content of a prompt. Links to files in the workspace become mentions, whose text the core reads.
 * @param roots real paths of the workspace, and of the folder that its worktree was made from
 */
function readPrompt(blocks: readonly ContentBlock[], roots: readonly string[]): PromptContent {
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
        add(mentionOf(block.uri, roots) ?? block.uri)
        break
      case 'resource':
        if ('text' in block.resource) texts.push(embedded(block.resource.uri, block.resource.text, roots))
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

/** Returns the mention of a file in the workspace, with the lines of the URL fragment (`#L3` or `#L3:9`). */
function mentionOf(uri: string, roots: readonly string[]): string | undefined {
  const place = placeOf(uri, roots)
  return place && mentionText(place)
}

function placeOf(uri: string, roots: readonly string[]): { path: string; line?: number; endLine?: number } | undefined {
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
  let file: string
  try {
    file = fileURLToPath(url)
  } catch {
    return undefined
  }
  const path = roots
    .map((root) => relative(root, file))
    .find((each) => each !== '' && each !== '..' && !each.startsWith(`..${sep}`))
  if (path === undefined) return undefined
  return {
    path: path.split(sep).join('/'),
    ...(first !== undefined && { line: Number(first), endLine: Number(last ?? first) }),
  }
}

function embedded(uri: string, text: string, roots: readonly string[]): string {
  const place = placeOf(uri, roots)
  const lines = place?.line === undefined ? '' : `, lines ${place.line} to ${place.endLine}`
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `Attached: ${place?.path ?? uri}${lines}\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}
