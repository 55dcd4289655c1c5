import { ToolError } from '../../shared/errors.ts'
import type { Explanation } from '../../shared/tools/explanation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { Gate } from '../approval/gate.ts'
import { readOnlyCommands } from '../approval/readOnly/readOnlyForm.ts'
import { listWorkspaceSources } from '../instructions/workspaceSources.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import { trustEffects } from '../workspaceServices/workspaceTrust.ts'
import type { Handlers } from '../core/coreContract.ts'

/** Explains a command line of the open folder. @throws ToolError no_workspace */
export type ExplainLine = (line: string, mode: Mode) => Promise<Explanation>

/** Handles the user's decisions about pending approvals, and explains the rules. @param decide the gate's, of any window */
export function createApprovalHandlers(
  decide: Gate['decide'],
  explain: ExplainLine,
): Pick<Handlers, 'approvals.decide' | 'approvals.explain' | 'approvals.builtIn'> {
  return {
    'approvals.decide': ({ requestId, decision }) => decide(requestId, decision),
    'approvals.explain': ({ command, mode }) => explain(command, mode),
    'approvals.builtIn': () => readOnlyCommands(),
  }
}

/** Handles requests about the hooks of the open folder. */
export function createHookHandlers(
  session: () => Pick<WorkspaceSession, 'hooks'> | undefined,
): Pick<Handlers, 'hooks.list' | 'hooks.decide'> {
  return {
    'hooks.list': () => session()?.hooks.list() ?? { hooks: [], problems: [], restricted: false },
    async 'hooks.decide'({ id, approved }) {
      const open = session()
      if (!open) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
      await open.hooks.decide(id, approved)
      return open.hooks.list()
    },
  }
}

/** Handles requests about trust in the open folder. @param current throws ToolError no_workspace */
export function createTrustHandlers(current: () => WorkspaceSession): Pick<Handlers, 'trust.effects' | 'trust.decide'> {
  return {
    async 'trust.effects'(_, signal) {
      const { instructionDeps, fileNames, mcp, hooks, trust } = current()
      const sources = await listWorkspaceSources(instructionDeps, fileNames, signal)
      return trustEffects(sources, mcp.state(), (await hooks.list()).hooks, trust.parent)
    },
    async 'trust.decide'({ choice }) {
      const session = current()
      await session.trust.decide(choice)
      if (session.trust.isTrusted()) await session.programs.approveAll()
      return session.trustChanged()
    },
  }
}
