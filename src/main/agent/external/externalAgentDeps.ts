import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { Jobs } from '../../command/jobTypes.ts'
import type { PermissionCall } from '../../tools/externalAgent/askPermission.ts'
import type { Documents } from '../../workspace/documents.ts'
import type { AgentConnections } from './agentConnections.ts'

/** Dependencies of external agents beyond those of our own agent. */
export interface ExternalAgentDeps {
  /** Returns an agent from the settings. */
  definition(id: string): AgentDefinition | undefined
  /** Whether programs may run in the open folder, depending on its trust. */
  allowed(): boolean
  connections: AgentConnections
  /** Returns the text of a file, or of its tab; null if there is no file, undefined if it cannot be read. */
  currentText(path: string, signal: AbortSignal): Promise<string | null | undefined>
  /** @throws ToolError if the agent may not do it */
  askPermission(call: PermissionCall, signal: AbortSignal): Promise<void>
  jobs(): Pick<Jobs, 'backlog' | 'stop'>
}

/** Returns the text of a file, or of its tab; null if there is no file, undefined if it cannot be read. */
export async function currentText(
  documents: Pick<Documents, 'read'>,
  path: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  try {
    return (await documents.read(path, signal)).text
  } catch (error) {
    if (error instanceof ToolError) return error.code === 'not_found' ? null : undefined
    throw error
  }
}
