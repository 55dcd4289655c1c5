import type { Agent } from '../agent/agent.ts'
import { indexFileOf } from '../code/index/codeIndex.ts'
import { forgetCheckpoints } from '../history/checkpoints/checkpointStorage.ts'
import { createCleanUp, type CleanUp } from '../history/cleanUp/cleanUp.ts'
import type { UserData } from '../core/userData.ts'
import type { WorkspaceSession } from './workspaceSession.ts'

interface StorageCleanUpDeps {
  userData: string
  data: Pick<UserData, 'db' | 'settings' | 'otherProcesses'>
  agent: Pick<Agent, 'inUse' | 'delete'>
  session(): WorkspaceSession | undefined
}

/** Cleans up stored data, except what the agent or the open folder uses. */
export function createStorageCleanUp({ userData, data, agent, session }: StorageCleanUpDeps): CleanUp {
  const { db, settings, otherProcesses } = data
  return createCleanUp({
    db,
    userData,
    otherProcesses,
    limits: () => settings.get().history,
    inUse: agent.inUse,
    deleteConversation: agent.delete,
    forgetCheckpoints(root, ids, sweep) {
      const open = session()
      if (open?.workspace.root === root) return open.checkpoints.forget(ids, sweep)
      return forgetCheckpoints({ db, root, userData }, ids, sweep)
    },
    openIndex() {
      const open = session()
      return open && indexFileOf(open.workspace.root, userData)
    },
  })
}
