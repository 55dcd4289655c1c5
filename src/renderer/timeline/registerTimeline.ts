import { handleCommand } from '../platform/commands.ts'
import { contributeDiffActions } from '../platform/editor/diffContributions.tsx'
import { lazyView } from '../platform/layout/lazyView.tsx'

/** Registers the commands of the local history. @returns a function that unregisters them */
export function registerTimeline(): () => void {
  contributeDiffActions(
    'localHistory',
    lazyView(async () => (await import('./VersionDiffActions.tsx')).VersionDiffActions, null),
  )
  return handleCommand('localHistory.restore', async () => (await import('./versionActions.ts')).findEntryToRestore())
}
