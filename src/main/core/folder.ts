import { currentPlaceRules } from '../approval/placeRules.ts'
import type { EventHub } from '../appServices/eventHub.ts'
import { toFailure } from '../../shared/errors.ts'
import { openUserData } from '../appServices/userData.ts'
import { placeholderRecords, sweepPlaceholders } from '../command/sandbox/placeholderRecord.ts'
import type { HookRecord } from '../hooks/hooks.ts'
import { createCredentials } from '../git/view/gitCredentials.ts'
import { createOperations } from '../git/view/operations.ts'
import { createSessionServices } from '../workspaceServices/sessionServices.ts'
import { applyServerSettings, createWorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'
import type { CoreOptions } from './coreContract.ts'

interface FolderDeps {
  options: Pick<CoreOptions, 'platform' | 'settings' | 'keys' | 'trustWorkspace'>
  events: EventHub
  /** Records a run of a hook. */
  recordHook(run: HookRecord, workspace: string): void
  /** Ends turns, calls and approvals of the folder that is about to be closed. */
  stopWork(): Promise<void>
  /** Called after the folders of the workspace changed. @param from the root before */
  foldersChanged(from: string): void
}

/** Opens the user's stored data, and creates what opens folders and works on their files and repositories. */
export async function createFolderServices({ options, events, recordHook, stopWork, foldersChanged }: FolderDeps) {
  const { platform, settings: overrides, keys = {}, trustWorkspace = false } = options
  const { emit, warn } = events
  // Before anything reads a folder.
  await sweepPlaceholders(placeholderRecords(platform.userData))
  const data = await openUserData({ platform, settings: overrides, keys, emit, warn })
  const places = currentPlaceRules(() => {
    const { protectedPaths, secretPaths } = data.settings.get().approval
    return { protected: protectedPaths, secret: secretPaths }
  })
  const credentials = createCredentials({
    userData: platform.userData,
    onChanged: (questions) => emit('git.credentialsChanged', questions),
  })
  const operations = createOperations((progress) => emit('git.progress', progress), credentials)
  const sessions = createSessionServices(platform.userData, data)
  // A killed process may have left a worktree half made or half removed.
  const recovered = sessions.recover().catch((error: unknown) => warn(toFailure(error).message))
  const workspaces = createWorkspaceSwitcher({
    useWorktree: sessions.use,
    places,
    gitCredentials: credentials,
    platform,
    data,
    events,
    trustWorkspace,
    recordHook,
    stopWork,
    foldersChanged,
  })
  applyServerSettings(data.settings, workspaces.session, warn)
  return {
    data,
    places,
    workspaces,
    sessions,
    git: { operations, credentials },
    /** Closes the folder and ends what git runs. The stored data is closed last, by `data.close`. */
    async close(): Promise<void> {
      await Promise.all([workspaces.dispose(), operations.close(), recovered])
      await credentials.dispose()
    },
  }
}
