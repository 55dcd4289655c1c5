import type { ConnectionOptions } from './http.ts'
import type { RequestTarget } from './modelErrors.ts'

/** How to reach the server of an endpoint. */
export interface ServerAccess {
  /** The base URL from `serverRoot`. */
  root: string
  connection: ConnectionOptions
  target: RequestTarget
  /** How Ollama loads the model. The same for all requests to it, because a different size reloads it. */
  loading?: OllamaLoading
}

export interface OllamaLoading {
  /** In tokens. */
  contextWindow: number
  /** See `keepAliveField`. */
  keepAlive: { keep_alive?: string | number }
}
