import path from 'node:path'
import type { Review, ReviewedCall } from '../review/reviewTypes.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Tool } from './common/toolDefinition.ts'
import type { CallRun } from './executorTypes.ts'

/** Saves the state before a call that may change files, for checkpoints and review. @throws only if it is cancelled */
export async function beginChange(
  tool: Tool,
  args: Record<string, unknown>,
  workspace: Workspace,
  { beforeChange, turn }: CallRun,
  review: Pick<Review, 'begin'> | undefined,
): Promise<ReviewedCall | undefined> {
  if (!beforeChange && !review) return undefined
  const paths = await changedPaths(tool, args, workspace)
  const since = performance.now()
  await beforeChange?.(paths)
  return review?.begin({
    paths,
    turn: turn ?? null,
    program: tool.commandLine !== undefined || tool.server !== undefined,
    since,
  })
}

/**
 * Returns the paths that an allowed call may change, relative to the workspace, as passed and as resolved; undefined if
 * they are not known before the call, as for commands and MCP tools.
 */
async function changedPaths(
  tool: Tool,
  args: Record<string, unknown>,
  workspace: Workspace,
): Promise<string[] | undefined> {
  if (!tool.writes || tool.commandLine || tool.server !== undefined) return undefined
  const given = [...tool.writes(args), ...(tool.writesBelow?.(args) ?? [])]
  const paths = await Promise.all(
    given.map(async (each) => [
      // A link itself may be deleted or moved, and an edit changes its target.
      (await workspace.resolve(each, { missing: 'allow', symlink: 'keep' })).relative,
      (await workspace.resolve(each, { missing: 'allow' })).relative,
    ]),
  )
  // A rename may change only the case of a name. Both names then lead to the same file, and only a folder listing shows
  // which one exists.
  if (given.some((each, index) => isRespelled(each, paths[index]?.[0] ?? each))) return undefined
  return [...new Set(paths.flat())]
}

function isRespelled(given: string, onDisk: string): boolean {
  const [name, found] = [path.basename(given), path.posix.basename(onDisk)]
  return name !== found && name.toLowerCase() === found.toLowerCase()
}

/**
 * Whether a call can change files: all risks above `read`, except our own web tools, which only fetch. The caller
 * excludes commands that provably change nothing (`ApprovedCall.onlyReads`).
 */
export function mayChange(tool: Tool, args: Record<string, unknown>): boolean {
  if (tool.delegates) return false
  const risk = tool.riskOf?.(args) ?? tool.risk
  return risk !== 'read' && !(tool.web && risk === 'network')
}
