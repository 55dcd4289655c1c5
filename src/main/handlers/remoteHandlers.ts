import { ToolError } from '../../shared/errors.ts'
import type { Handlers } from '../core/coreContract.ts'
import type { Platform } from '../appServices/platform.ts'
import type { Credentials } from '../git/view/gitCredentials.ts'

interface RemoteHandlerDeps {
  platform: Pick<Platform, 'remoteHosts'>
  /** Shows the prompts of ssh in the window. */
  credentials: Pick<Credentials, 'open' | 'close'>
  onProgress(progress: { operation: string; text: string }): void
}

/** Handles requests about other machines, which windows of the desktop host can show. */
export function createRemoteHandlers({
  platform,
  credentials,
  onProgress,
}: RemoteHandlerDeps): Pick<Handlers, 'remote.hosts' | 'remote.connect' | 'remote.cancel' | 'remote.reconnect'> {
  const attempts = new Map<string, AbortController>()
  const hosts = () => {
    if (platform.remoteHosts) return platform.remoteHosts
    throw new ToolError(
      'no_window',
      'Only the desktop application connects to other machines.',
      'Start Tizona on the other machine, or use the desktop application.',
    )
  }
  return {
    'remote.hosts': () => hosts().list(),
    async 'remote.connect'({ address, folder, operation }, signal) {
      const { connect } = hosts()
      const attempt = new AbortController()
      attempts.set(operation, attempt)
      try {
        await connect({
          address,
          folder,
          environment: await credentials.open(operation),
          signal: AbortSignal.any([signal, attempt.signal]),
          onProgress: (text) => onProgress({ operation, text }),
        })
      } finally {
        attempts.delete(operation)
        credentials.close(operation)
      }
    },
    'remote.cancel'({ operation }) {
      attempts.get(operation)?.abort(new ToolError('cancelled', 'The attempt to connect was cancelled.'))
    },
    'remote.reconnect'() {
      throw new ToolError('refused', 'This window works on this machine.')
    },
  }
}
