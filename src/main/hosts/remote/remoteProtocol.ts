import { z } from 'zod'
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
