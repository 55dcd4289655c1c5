import { z } from 'zod'
import { noParams, path, request } from '../requestType.ts'
import type { KnownHosts } from './remote.ts'

const address = z.string().min(1).max(500)

export const remoteRequests = {
  /** Lists the hosts of the SSH configuration and the folders that were open on hosts. Desktop only. */
  'remote.hosts': request<KnownHosts>()(() => noParams),
  /**
   * Connects to a host and opens a window for it, with a folder or without. Prompts of ssh arrive as
   * `git.credentialsChanged` while it runs. `operation`: an id of the caller, for `remote.cancel`.
   */
  'remote.connect': request<void>()(() =>
    z.object({ address, folder: path.optional(), operation: z.string().min(1).max(100) }),
  ),
  /** Ends an attempt to connect, which then fails with `cancelled`. */
  'remote.cancel': request<void>()(() => z.object({ operation: z.string().max(100) })),
  /** Tries at once to connect this window to its host again. */
  'remote.reconnect': request<void>()(() => noParams),
} as const
