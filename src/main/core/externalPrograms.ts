import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { createAgentConnections } from '../agent/external/agentConnections.ts'
import type { Gate } from '../approval/gate.ts'
import { createMcpToolProvider } from '../tools/mcpToolProvider.ts'
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
          `The agent's folder ${folder} cannot be used. ${why}`,
          'Change it in the settings.',
        )
      if (!isAbsolute(path)) throw refused('It must be absolute, or start with ~/.')
      try {
        if (folder.startsWith('~/')) await makeFolder(path)
        const real = await realpath(path)
        if (real === '/' || real === (await realpath(home)))
          throw refused('It is the root of the file system or your home folder.')
        return real
      } catch (error) {
        if (error instanceof ToolError) throw error
        throw refused(toFailure(error).message)
      }
    }),
  )
}

/**
 * How long a command line without a window waits for the tools of MCP servers, in milliseconds: it has only one message.
 * With a window no message waits, but what prepares the first one does.
 */
const serverToolsTimeout = { windowed: 15_000, headless: 60_000 }

interface OutsideDeps {
  session(): Pick<WorkspaceSession, 'mcp'> | undefined
  current(): Pick<WorkspaceSession, 'jobs' | 'workspace'>
  version: string
  windowed: boolean
  /** Called with the names of tools whose definition changed, so that the user is asked about them again. */
  forget: Gate['forget']
}

/** Creates what connects to programs of others: external agents, and the MCP servers of the open folder. */
export function createOutside({ session, current, version, windowed, forget }: OutsideDeps) {
  const serverTools = createMcpToolProvider(() => session()?.mcp, forget)
  const connections = createAgentConnections(async (definition, signal) => {
    const { openAgentConnection } = await import('../acp/agentConnection.ts')
    const { jobs, workspace } = current()
    const folders = await agentFolders(definition.folders)
    return openAgentConnection({ definition, cwd: workspace.root, folders, version, start: jobs.startProgram }, signal)
  })
  return {
    /** The running external agents. Their programs start in the open folder. */
    connections,
    serverTools,
    /** Waits a limited time for the tools of MCP servers. @returns messages about servers whose tools are missing */
    toolsReady: (signal: AbortSignal, onWaiting?: () => void): Promise<string[]> =>
      serverTools.ready(signal, serverToolsTimeout[windowed ? 'windowed' : 'headless'], onWaiting),
  }
}
