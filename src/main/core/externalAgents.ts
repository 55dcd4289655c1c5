import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { createAgentConnections, type AgentConnections } from '../agent/external/agentConnections.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { toFailure, ToolError } from '../../shared/errors.ts'

/**
 * Returns the real paths of the folders outside the workspace that an external agent may change. Creates missing ones
 * in the home folder, because the sandbox shows only existing folders.
 * @param folders absolute, or in the home folder with `~/`
 * @throws ToolError `invalid_arguments`
 */
async function agentFolders(folders: readonly string[], home = homedir()): Promise<string[]> {
  return Promise.all(
    folders.map(async (folder) => {
      const path = folder.startsWith('~/') ? join(home, folder.slice(2)) : folder
      const refused = (why: string): ToolError =>
        new ToolError(
          'invalid_arguments',
          `The agent's folder ${folder} cannot be used: ${why}`,
          'Change it in the settings.',
        )
      if (!isAbsolute(path)) throw refused('it must be absolute, or start with ~/.')
      try {
        if (folder.startsWith('~/')) await makeFolder(path)
        const real = await realpath(path)
        if (real === '/' || real === (await realpath(home)))
          throw refused('it is the root of the file system or your home folder.')
        return real
      } catch (error) {
        if (error instanceof ToolError) throw error
        throw refused(toFailure(error).message)
      }
    }),
  )
}

/** Returns the connections to external agents, whose programs start in the open folder. */
export function connectAgents(
  current: () => Pick<WorkspaceSession, 'jobs' | 'workspace'>,
  version: string,
): AgentConnections {
  return createAgentConnections(async (definition, signal) => {
    const { openAgentConnection } = await import('../acp/agentConnection.ts')
    const { jobs, workspace } = current()
    const folders = await agentFolders(definition.folders)
    return openAgentConnection({ definition, cwd: workspace.root, folders, version, start: jobs.startProgram }, signal)
  })
}
