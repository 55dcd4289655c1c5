import { z } from 'zod'
import type { ConversationInfo, ConversationItem } from '../../../shared/conversation.ts'
import { ToolError } from '../../../shared/errors.ts'
import { modes, toolsetNames } from '../../../shared/risk.ts'
import { imageIds } from '../images.ts'

// A conversation as a file of its own: what another copy of Tizona, or a script, can read. It names no folder of this machine.

const version = 1
/** Characters; JSON.parse of more would hold up the process. */
const longest = 100_000_000

const assistant = z.looseObject({
  id: z.string().min(1),
  kind: z.literal('assistant'),
  at: z.number(),
  text: z.string(),
  reasoning: z.string(),
  state: z.enum(['streaming', 'done', 'stopped', 'failed']),
})
const tool = z.looseObject({
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
const item = z.union([
  z.looseObject({ id: z.string().min(1), kind: z.literal('user'), at: z.number(), text: z.string() }),
  assistant,
  tool,
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
  // Notices and whatever a later version adds: shown or ignored by kind, never run.
  z.looseObject({
    id: z.string().min(1),
    kind: z.string().refine((kind) => !['user', 'assistant', 'tool', 'summary'].includes(kind)),
    at: z.number(),
  }),
])
const schema = z.object({
  tizona: z.literal('conversation'),
  version: z.literal(version),
  info: z.object({
    title: z.string().max(500),
    createdAt: z.number(),
    updatedAt: z.number(),
    mode: z.enum(modes),
    toolset: z.enum(toolsetNames),
    model: z.string().optional(),
  }),
  items: z.array(item),
  /** Bytes of the pictures that messages carry, in base64, by their id. */
  pictures: z.record(z.string().max(200), z.string()).default({}),
})

export interface ExportedConversation {
  info: z.output<typeof schema>['info']
  items: ConversationItem[]
  /** In base64, by the id that messages name them with. */
  pictures: Readonly<Record<string, string>>
}

/**
 * The JSON form, which `tizona replay` plays. Checkpoints and open questions stay behind: they mean nothing elsewhere.
 * @param picture the bytes of a message's picture in base64; undefined where it is not kept any more
 */
export function toJson(
  { title, createdAt, updatedAt, mode, toolset, model }: ConversationInfo,
  items: readonly ConversationItem[],
  picture: (id: string) => string | undefined = () => undefined,
): string {
  const pictures = Object.fromEntries(items.flatMap(imageIds).map((id) => [id, picture(id)]))
  const info = { title, createdAt, updatedAt, mode, toolset, model: model?.model }
  return `${JSON.stringify({ tizona: 'conversation', version, info, items: items.map(portable), pictures }, null, 2)}\n`
}

/** An item without what means something in one store alone: in another a checkpoint's number is that of other files. */
function portable(given: ConversationItem): ConversationItem {
  if (given.kind === 'user') return { ...given, checkpoint: undefined }
  if (given.kind === 'tool') return { ...given, approval: undefined }
  return given.kind === 'notice' ? { ...given, action: undefined, restore: undefined } : given
}

/** Reads what `toJson` wrote. @throws ToolError `invalid_arguments` in words for anything else */
export function fromJson(text: string): ExportedConversation {
  const next = 'Give a file that Tizona exported as JSON.'
  if (text.length > longest)
    throw new ToolError('invalid_arguments', `The file has more than ${longest} characters.`, next)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ToolError('invalid_arguments', 'The file is not JSON.', next, { cause: error })
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    const [problem] = parsed.error.issues
    throw new ToolError(
      'invalid_arguments',
      `The file is no exported conversation: ${problem?.path.join('.') ?? ''} ${problem?.message ?? ''}`.trim(),
      next,
    )
  }
  // The schema holds the fields that every use of an item relies on; the rest is drawn by kind.
  const items = parsed.data.items as unknown as ConversationItem[]
  // Whoever wrote the file may have put back what `toJson` leaves out.
  return { info: parsed.data.info, items: items.map(portable), pictures: parsed.data.pictures }
}
