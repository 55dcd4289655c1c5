import { z } from 'zod'
import type { ConversationInfo, ConversationItem } from '../../../shared/agent/conversation.ts'
import { ToolError } from '../../../shared/errors.ts'
import { modes, toolsetNames } from '../../../shared/tools/risk.ts'
import { once } from '../../../shared/async/once.ts'
import { imageIds } from '../images.ts'
import { placeholderFor, replaceFolderIn } from './folderPath.ts'

// A conversation as a file for other installations and scripts. A placeholder replaces the path of its folder.

const version = 1
/** Maximum UTF-16 units. Parsing more would block the process. */
const maxLength = 100_000_000

const assistant = () =>
  z.looseObject({
    id: z.string().min(1),
    kind: z.literal('assistant'),
    at: z.number(),
    text: z.string(),
    reasoning: z.string(),
    state: z.enum(['streaming', 'done', 'stopped', 'failed']),
  })
const tool = () =>
  z.looseObject({
    id: z.string().min(1),
    kind: z.literal('tool'),
    at: z.number(),
    assistantId: z.string(),
    callId: z.string(),
    name: z.string(),
    arguments: z.string(),
    state: z.enum(['streaming', 'approval', 'running', 'done', 'failed', 'refused', 'cancelled']),
    result: z
      .looseObject({
        ok: z.boolean(),
        text: z.string(),
        truncated: z.boolean(),
        view: z.looseObject({ kind: z.string() }),
        elapsedMs: z.number(),
      })
      .optional(),
  })
const item = () =>
  z.union([
    z.looseObject({ id: z.string().min(1), kind: z.literal('user'), at: z.number(), text: z.string() }),
    assistant(),
    tool(),
    z.looseObject({
      id: z.string().min(1),
      kind: z.literal('summary'),
      at: z.number(),
      text: z.string(),
      account: z.string(),
      upTo: z.string(),
      tokensBefore: z.number(),
      tokensAfter: z.number(),
      by: z.enum(['model', 'facts']),
    }),
    // Notices and item kinds of later versions: shown or ignored by kind, never executed.
    z.looseObject({
      id: z.string().min(1),
      kind: z.string().refine((kind) => !['user', 'assistant', 'tool', 'summary'].includes(kind)),
      at: z.number(),
    }),
  ])
/** A file of any version. */
const otherVersion = once(() => z.looseObject({ tizona: z.literal('conversation'), version: z.number() }))
const schema = once(() =>
  z.object({
    tizona: z.literal('conversation'),
    version: z.literal(version),
    info: z.object({
      title: z.string().max(500),
      createdAt: z.number(),
      updatedAt: z.number(),
      mode: z.enum(modes),
      toolset: z.enum(toolsetNames),
      model: z.string().optional(),
      agent: z.string().max(200).optional(),
    }),
    items: z.array(item()),
    /**
     * Placeholder for the path of the folder in all texts. Absent in files of earlier versions, which contain the path.
     */
    folder: z
      .string()
      .regex(/^\/[\w-]{1,100}$/)
      .optional(),
    /** Image bytes in base64, by the ids used in messages. */
    pictures: z.record(z.string().max(200), z.string()).default({}),
  }),
)

export interface ExportedConversation {
  info: z.output<ReturnType<typeof schema>>['info']
  items: ConversationItem[]
  /** Placeholder for the path of the folder in the texts of the items, if used. */
  folder?: string
  /** Base64, by the ids used in messages. */
  pictures: Readonly<Record<string, string>>
}

/**
 * Exports a conversation as JSON, which `tizona replay` can play back. Omits checkpoints and open questions, because
 * they are valid only in this store.
 * @param picture returns the bytes of an image in base64; undefined if it was deleted
 */
export function toJson(
  { title, createdAt, updatedAt, mode, toolset, model, agent, workspace }: ConversationInfo,
  items: readonly ConversationItem[],
  picture: (id: string) => string | undefined = () => undefined,
): string {
  const pictures = Object.fromEntries(items.flatMap(imageIds).map((id) => [id, picture(id)]))
  const folder = placeholderFor(workspace, JSON.stringify({ title, items }))
  const info = { title, createdAt, updatedAt, mode, toolset, model: model?.model, agent }
  const content = { info, items: items.map(portable) }
  const shared = folder === undefined ? content : replaceFolderIn(content, workspace, folder)
  return `${JSON.stringify({ tizona: 'conversation', version, folder, ...shared, pictures }, null, 2)}\n`
}

/** Returns exported items with the path of a folder instead of the placeholder. */
export function inFolder<T>(items: T, { folder }: Pick<ExportedConversation, 'folder'>, root: string): T {
  return folder === undefined ? items : replaceFolderIn(items, folder, root)
}

/** Returns an item without data that is valid only in this store, e.g. checkpoint numbers. */
export function portable(source: ConversationItem): ConversationItem {
  if (source.kind === 'user') return { ...source, checkpoint: undefined }
  if (source.kind === 'tool') return { ...source, approval: undefined }
  return source.kind === 'notice' ? { ...source, action: undefined, restore: undefined } : source
}

/** Parses the output of `toJson`. @throws ToolError `invalid_arguments` for any other text */
export function fromJson(text: string): ExportedConversation {
  const next = 'Use a file that Tizona exported as JSON.'
  if (text.length > maxLength)
    throw new ToolError('invalid_arguments', `The file is longer than ${maxLength} characters.`, next)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ToolError('invalid_arguments', 'The file is not JSON.', next, { cause: error })
  }
  const other = otherVersion().safeParse(value)
  if (other.success && other.data.version !== version)
    throw new ToolError(
      'invalid_arguments',
      `The file has format version ${other.data.version}, but this version of Tizona reads format version ${version}.`,
      other.data.version > version
        ? 'Update Tizona, or export the conversation again from this version.'
        : 'Export it again.',
    )
  const parsed = schema().safeParse(value)
  if (!parsed.success) {
    const [problem] = parsed.error.issues
    throw new ToolError(
      'invalid_arguments',
      `The file is not an exported conversation (${[problem?.path.join('.'), problem?.message].filter(Boolean).join(': ')}).`,
      next,
    )
  }
  // The schema checks the fields that all users of items need; the rest is rendered by kind.
  const items = parsed.data.items as unknown as ConversationItem[]
  // An edited file may contain data that `toJson` omits.
  const { info, folder, pictures } = parsed.data
  return { info, items: items.map(portable), ...(folder !== undefined && { folder }), pictures }
}
