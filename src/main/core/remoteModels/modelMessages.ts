import { z } from 'zod'
import { endpointSchema } from '../../../shared/settings/settings.ts'

// Requests of a core to model servers on the computer of its window. They share the channel of the window, so no port
// is opened, and an answer continues after a cut.

/** Bytes of an answer that the desktop sends before the host has read them. Those of all answers fit into the channel. */
export const unreadBytes = 256 * 1024
/** Maximum number of requests of a window at a time. */
export const maxModelRequests = 32

const id = z.number().int().nonnegative()

/** From the host, which may not be trusted. A `path` is one of `modelPaths`, with a query. */
export const modelRequestSchema = z.discriminatedUnion('step', [
  z.object({
    kind: z.literal('model'),
    id,
    step: z.literal('send'),
    endpoint: z.string().max(200),
    method: z.enum(['GET', 'POST']),
    path: z.string().max(2000),
    body: z.string().optional(),
  }),
  z.object({ kind: z.literal('model'), id, step: z.literal('read'), bytes: z.number().int().positive() }),
  z.object({ kind: z.literal('model'), id, step: z.literal('cancel') }),
])
export type ModelRequest = z.output<typeof modelRequestSchema>

/** Codes as in `ModelErrorCode`. `cause`: of the operating system, from which follows whether a retry can help. */
const failure = z.object({ code: z.string(), message: z.string(), hint: z.string(), cause: z.string().optional() })

/** From the desktop. `data`: Base64. */
export const modelAnswerSchema = z.discriminatedUnion('step', [
  z.object({ kind: z.literal('model'), step: z.literal('endpoints'), endpoints: z.array(endpointSchema).max(100) }),
  z.object({ kind: z.literal('model'), id, step: z.literal('accepted') }),
  z.object({
    kind: z.literal('model'),
    id,
    step: z.literal('head'),
    status: z.number().int(),
    headers: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('model'), id, step: z.literal('data'), data: z.string() }),
  z.object({ kind: z.literal('model'), id, step: z.literal('end') }),
  z.object({ kind: z.literal('model'), id, step: z.literal('failed'), failure }),
])
export type ModelAnswer = z.output<typeof modelAnswerSchema>
export type ModelFailure = z.output<typeof failure>

/**
 * What a host may request of a model server, by method: answers, and what describes models. Not what changes the server
 * or its files, such as downloads and saved prompts.
 */
const modelPaths: Readonly<Record<'GET' | 'POST', ReadonlySet<string>>> = {
  GET: new Set([
    '/api/extra/true_max_context_length',
    '/api/extra/version',
    '/api/ps',
    '/api/tags',
    '/api/v0/models',
    '/api/version',
    '/get_model_info',
    '/get_server_info',
    '/props',
    '/v1/models',
  ]),
  POST: new Set([
    '/api/chat',
    '/api/extra/tokencount',
    '/api/generate',
    '/api/show',
    '/apply-template',
    '/infill',
    '/tokenize',
    '/v1/chat/completions',
    '/v1/chat/completions/input_tokens',
    '/v1/completions',
    '/v1/embeddings',
  ]),
}

/** Whether a host may request a path with its query. */
export function isModelPath(method: 'GET' | 'POST', path: string): boolean {
  const at = path.indexOf('?')
  return at === -1
    ? modelPaths[method].has(path)
    : modelPaths[method].has(path.slice(0, at)) && /^[\w?&=%.,:/@+~-]*$/.test(path.slice(at))
}
