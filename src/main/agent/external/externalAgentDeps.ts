import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import type { ShownFolders } from '../../../shared/files/workspaceFolders.ts'
import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { Jobs } from '../../command/jobTypes.ts'
import type { Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import type { Images } from '../../history/images.ts'
import type { Review } from '../../review/reviewTypes.ts'
import type { Executor } from '../../tools/executorTypes.ts'
import type { PermissionCall } from '../../tools/externalAgent/askPermission.ts'
import type { Documents } from '../../workspace/documents.ts'
import type { AgentConnections } from './agentConnections.ts'

/** What external agents and our own agent need. */
export interface SharedAgentDeps {
  executor: Executor
  /** Returns the real path of the open folder. @throws ToolError `no_workspace` */
  root(): string
  /** Folders of a multi-root workspace. Default: a single folder. */
  folders?(): WorkspaceRoots['folders']
  /** Returns what had the open folders before: each of them alone, and workspaces that this one replaces. */
  earlierWorkspaces?(): readonly ShownFolders[]
  /** Returns the checkpoints of the open folder. @throws ToolError `no_workspace` */
  checkpoints(): Checkpoints
  /** Returns the review of the open folder. */
  review?(): Pick<Review, 'countChanges' | 'takeNote' | 'begin'> | undefined
  images: Images
  /** Whether a user can answer approval requests. */
  attended(): boolean
}

/** What external agents need besides the services of our own agent. */
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
