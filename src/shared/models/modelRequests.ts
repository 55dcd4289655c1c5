import { z } from 'zod'
import { request, noParams, id, modelOfEndpoint } from '../requestType.ts'
import { endpointSchema, headerNameSchema, type EndpointStatus } from '../settings/settings.ts'
import type { Machine, ModelCheck } from './firstSteps.ts'

/**
 * An endpoint from the settings form. A new one has no id. `key`: the API key; absent keeps the stored one, null
 * deletes it. `headerValues`: values by header name; a header that is not listed keeps its stored value.
 */
const endpointDraftSchema = z.object({
  endpoint: endpointSchema.partial({ id: true }).extend({
    headerValues: z
      .record(
        headerNameSchema,
        z
          .string()
          .max(10_000)
          .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'Not a valid header value.'),
      )
      .optional(),
  }),
  key: z.string().max(10_000).nullable().optional(),
})

export const modelRequests = {
  'endpoints.list': request<EndpointStatus[]>()(() => z.object({ probe: z.boolean().default(false) })),
  /**
   * Checks for model servers that have started or stopped, and sends changes as `endpoints.changed`. Cheap enough to
   * poll.
   */
  'endpoints.look': request<void>()(() => noParams),
  /** Stores an endpoint. `unlessKnown`: do nothing if an endpoint of this kind and address is stored. */
  'endpoints.save': request<EndpointStatus>()(() =>
    endpointDraftSchema.extend({ unlessKnown: z.boolean().optional() }),
  ),
  'endpoints.remove': request<void>()(() => z.object({ id })),
  /**
   * Lets the machine of a remote window use a model server of the user's computer (`EndpointStatus.offered`).
   * `endpoints.remove` ends it.
   */
  'endpoints.allow': request<void>()(() => z.object({ id })),
  /** Opens the system's file dialog for a .gguf file. Returns null if the user cancels. */
  'endpoints.pickFile': request<string | null>()(() => noParams),
  /** Tests an endpoint without saving it. */
  'endpoints.test': request<EndpointStatus>()(() => endpointDraftSchema),
  'machine.get': request<Machine>()(() => noParams),
  /**
   * Downloads a model into Ollama, and returns when it is ready. Progress arrives as `models.downloadProgress`.
   * @throws conflict if it is already being downloaded, cancelled
   */
  'models.download': request<void>()(() => modelOfEndpoint),
  'models.cancelDownload': request<void>()(() => modelOfEndpoint),
  /** Asks the model to call a tool, and reports whether it did. */
  'models.check': request<ModelCheck>()(() => modelOfEndpoint),
} as const
