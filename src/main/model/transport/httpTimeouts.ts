/**
 * Limits on server timeouts, in milliseconds. Total duration is unlimited: a slow model may take any time as long as it
 * makes progress (progressWatch.ts). (The built-in `fetch` has fixed limits.)
 */
export interface HttpTimeouts {
  /** Until the connection is established. */
  connectMs: number
  /**
   * From sending the request to receiving the headers. A local server loads the model and processes the prompt in this
   * time.
   */
  headersMs: number
  /** Between two chunks of the response. */
  chunkMs: number
  /** Whether the user can change them in the settings of the endpoint, which errors then mention. */
  configurable?: boolean
}
export const defaultHttpTimeouts: HttpTimeouts = { connectMs: 10_000, headersMs: 600_000, chunkMs: 300_000 }
