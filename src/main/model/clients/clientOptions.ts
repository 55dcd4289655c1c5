import type { Features } from '../../base/features.ts'
import type { ModelInfo, ModelOptions } from '../../../shared/settings/settings.ts'
import { serverRoot, type LocalServer } from '../transport/localServers.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { Timeouts } from '../transport/busyServerRetries.ts'
import type { TextPrompt } from './requestCompat.ts'
import { ModelError } from '../modelClient.ts'
import type { CompatStore } from './compatStore.ts'

/** Options of a client for any API. */
export interface ClientOptions {
  /** The endpoint's name, for error messages. */
  name: string
  baseUrl: string
  /** Called for each request, so that a changed key takes effect at once. */
  connection?: () => Promise<ConnectionOptions>
  /** The server software, if known. Some fields are sent only to servers that support them. */
  server?: LocalServer | undefined
  /** Number of slots of llama-server, for hints. */
  slots?: number | undefined
  /** The user's options for a model. */
  optionsOf?: (model: string) => ModelOptions
  /** Returns the server's report about a model. */
  infoOf?: (model: string) => ModelInfo | undefined
  /** Default for requests without a context size, in tokens. */
  contextWindow?: number
  timeouts?: Partial<Timeouts>
  /** Default: all enabled. */
  features?: Partial<Features>
  /** Request formats that earlier clients learned about the same server. */
  compatStore?: CompatStore
  /** Called when no server listens at the address. A different one may start there later. */
  onGone?: () => void
  /** If absent, a model without native tool calls is an error. */
  textPrompt?: TextPrompt
}

/** Returns the normalized base URL of an endpoint. @throws ModelError `bad_request` if the address is invalid */
export function endpointRoot(baseUrl: string, target: RequestTarget): string {
  try {
    return serverRoot({ kind: target.kind, baseUrl })
  } catch (cause) {
    throw new ModelError(
      'bad_request',
      `"${baseUrl}" is not an http(s) address.`,
      'Correct the address of this endpoint in the settings.',
      { cause },
    )
  }
}
