import type { Features } from '../../../shared/features.ts'
import type { ModelOptions } from '../../../shared/settings.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import type { Timeouts } from '../transport/openStream.ts'
import type { CompatStore, TextPrompt } from './requestCompat.ts'
export interface ClientOptions {
  /** As the user calls the endpoint; named in errors. */
  name: string
  baseUrl: string
  /** Asked anew for each request, so that a changed key counts at once. */
  connection?: () => Promise<ConnectionOptions>
  /** What the user set for a model. */
  optionsOf?: (model: string) => ModelOptions
  /** Tokens; used where a request names none. */
  contextWindow?: number
  timeouts?: Partial<Timeouts>
  /** Default: all. */
  features?: Partial<Features>
  /** What earlier clients of the same server learnt. */
  compatStore?: CompatStore
  /** Without it, a model that takes no tools is an error. */
  textPrompt?: TextPrompt
}
