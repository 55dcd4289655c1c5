import type { Workspace } from '../workspace/containment.ts'
import type { Tool } from './toolDefinition.ts'

/**
 * Returns the paths that an allowed call may change, relative to the workspace, as passed and as resolved; undefined if
 * they are not known before the call, as for commands and MCP tools.
 */
export async function changedPaths(
  tool: Tool,
  args: Record<string, unknown>,
  workspace: Workspace,
): Promise<string[] | undefined> {
  if (!tool.writes || tool.commandLine || tool.server !== undefined) return undefined
  const paths = await Promise.all(
    [...tool.writes(args), ...(tool.writesBelow?.(args) ?? [])].map(async (given) => [
      // A link itself may be deleted or moved, and an edit changes its target.
      (await workspace.resolve(given, { missing: 'allow', symlink: 'keep' })).relative,
      (await workspace.resolve(given, { missing: 'allow' })).relative,
    ]),
  )
  return [...new Set(paths.flat())]
}

/**
 * Returns whether a call can change files: all risks above `read`, except for our own web tools, which only fetch.
 * Commands that are proven to change nothing (`ApprovedCall.onlyReads`) are excluded by the caller.
 */
export function mayChange(tool: Tool, args: Record<string, unknown>): boolean {
  if (tool.delegates) return false
  const risk = tool.riskOf?.(args) ?? tool.risk
  return risk !== 'read' && !(tool.web && risk === 'network')
}
