import { listWorkspaceSources } from '../instructions/workspaceSources.ts'
import { trustEffects } from '../workspaceServices/workspaceTrust.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { Handlers } from './handlers.ts'

/** Handles requests about the trust of the open folder. @param current throws ToolError no_workspace */
export function createTrustHandlers(current: () => WorkspaceSession): Pick<Handlers, 'trust.effects' | 'trust.decide'> {
  return {
    async 'trust.effects'(_, signal) {
      const { instructionDeps, fileNames, mcp, trust } = current()
      const sources = await listWorkspaceSources(instructionDeps, fileNames, signal)
      return trustEffects(sources, mcp.state(), trust.parent)
    },
    async 'trust.decide'({ choice }) {
      const session = current()
      await session.trust.decide(choice)
      if (session.trust.isTrusted()) await session.programs.approveAll()
      return session.trustChanged()
    },
  }
}
