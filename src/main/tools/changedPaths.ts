import path from 'node:path'
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
      workspace.relative(path.resolve(workspace.root, given)),
      (await workspace.resolve(given, { missing: 'allow' })).relative,
    ]),
  )
  return [...new Set(paths.flat())]
}
