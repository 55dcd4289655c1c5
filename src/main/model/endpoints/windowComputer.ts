import type { Endpoint } from '../../../shared/settings/settings.ts'
import type { RequestRelay } from '../transport/requestRelay.ts'

/** Model servers on the computer of the window, for a core on another machine. */
export interface DesktopModels {
  /** Those that the user has allowed, with addresses as this machine calls them. */
  list(): readonly Endpoint[]
  /** @returns a function that unsubscribes */
  onChanged(listener: () => void): () => void
  /** Returns what sends the requests to an endpoint. They fail while it is not listed or the window is not connected. */
  relay(endpoint: Endpoint): RequestRelay
}
