import { z } from 'zod'
import { toolErrorCodes, type Failure } from '../../../shared/errors.ts'
import type { EventName } from '../../../shared/bridge/protocol.ts'
import type { GitCredentialRequest } from '../../../shared/git/git.ts'
import { maxFolderLength } from '../../../shared/remote/remote.ts'
import type { ChannelPosition } from './reliableChannel.ts'

// What a desktop and the server on a remote machine send each other besides the messages of the window.

const position = z.object({
  received: z.number().int().nonnegative(),
  first: z.number().int().positive(),
}) satisfies z.ZodType<ChannelPosition>

/** First frame of a connection. `window`: random id of the window, which nobody else knows. */
export const helloSchema = z.object({ window: z.string().regex(/^[\w-]{16,64}$/), position })

/** The answer: whether the server knows the window, which otherwise begins again, or why it refuses it. */
export const welcomeSchema = z.union([
  z.object({ state: z.enum(['new', 'known']), position, working: z.boolean() }),
  z.object({ problem: z.string() }),
])
export type Welcome = z.output<typeof welcomeSchema>

/** The user has closed the window. */
export const controlToHostSchema = z.object({ kind: z.literal('control'), name: z.literal('end') })
export type ControlToHost = z.output<typeof controlToHostSchema>

export const controlToWindowSchema = z.discriminatedUnion('name', [
  z.object({ kind: z.literal('control'), name: z.literal('openWindow'), folder: z.string().nullable() }),
  z.object({ kind: z.literal('control'), name: z.literal('working'), working: z.boolean() }),
])
export type ControlToWindow = z.output<typeof controlToWindowSchema>

const failure = z.object({
  code: z.enum(toolErrorCodes),
  message: z.string(),
  next: z.string(),
  reason: z.string().optional(),
  detail: z.string().optional(),
}) satisfies z.ZodType<Failure>
const id = z.number().int().nonnegative()

/** The envelope of messages from a host, which may not be trusted with this machine. The window checks what it shows. */
export const hostMessageSchema = z.discriminatedUnion('kind', [
  z.discriminatedUnion('ok', [
    z.object({ kind: z.literal('response'), id, ok: z.literal(true), result: z.unknown().optional() }),
    z.object({ kind: z.literal('response'), id, ok: z.literal(false), error: failure }),
  ]),
  z.object({ kind: z.literal('event'), name: z.string(), payload: z.unknown().optional() }),
  z.object({ kind: z.literal('ask'), id, method: z.string(), params: z.unknown().optional() }),
  // Checked by those who read it (modelRequests.ts).
  z.looseObject({ kind: z.literal('model') }),
  controlToWindowSchema,
])

/** Events about windows and connections, which only the desktop sends. */
export const desktopEvents: ReadonlySet<string> = new Set<EventName>([
  'remote.changed',
  'remote.progress',
  'app.reconnected',
  'app.detached',
  'app.moved',
])

/** Commands that a core runs in its window, to show a conversation. */
export const hostCommandSchema = z.object({
  id: z.enum(['approval.focus', 'chat.show']),
  argument: z.string().optional(),
})

export const openedFolderSchema = z.looseObject({ root: z.string().max(maxFolderLength) }).nullable()

export const hostStatusesSchema = z.array(
  z.looseObject({ endpoint: z.looseObject({ id: z.string() }), offered: z.unknown().optional() }),
)

export const hostPromptsSchema = z
  .array(
    z.object({
      id: z.string(),
      operation: z.string(),
      kind: z.enum(['user_name', 'password', 'passphrase', 'confirm', 'other']),
      secret: z.boolean(),
      subject: z.string().nullable(),
      prompt: z.string(),
    }) satisfies z.ZodType<GitCredentialRequest>,
  )
  .max(100)
