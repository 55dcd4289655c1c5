import type { GateCall } from '../approval/gate.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { changedBareRepository } from '../git/bareRepository.ts'
import { findBelow } from '../workspace/findBelow.ts'
import type { Tool, ToolContext } from './toolDefinition.ts'

/** The paths of a call that the gate checks. */
export type CallPaths = Required<Pick<GateCall, 'reads' | 'writes'>> & Pick<GateCall, 'changedRepository'>

/** Returns the paths that a call reads and writes, as passed and as resolved, so that a link cannot hide one. */
export async function callPaths(
  tool: Tool,
  args: Record<string, unknown>,
  context: Pick<ToolContext, 'workspace' | 'signal'>,
  rules: PlaceRules,
): Promise<CallPaths> {
  const { workspace } = context
  const given = tool.writes?.(args) ?? []
  const written = await Promise.all(
    given.map(async (path) => (await workspace.resolve(path, { missing: 'allow' })).relative),
  )
  const below = tool.writesBelow?.(args) ?? []
  return {
    reads: await readPaths(tool.reads?.(args) ?? [], context),
    writes: [...new Set([...given, ...written]), ...(await protectedBelow(below, context, rules))],
    changedRepository: written.length > 0 ? await changedBareRepository(workspace.root, written) : undefined,
  }
}

/** A path that cannot be resolved is left to the tool, which reports the error. */
async function readPaths(paths: readonly string[], { workspace }: Pick<ToolContext, 'workspace'>): Promise<string[]> {
  const real = await Promise.all(
    paths.map((path) =>
      workspace.resolve(path, { missing: 'allow' }).then(
        ({ relative }) => [path, relative],
        () => [],
      ),
    ),
  )
  return [...new Set(real.flat())]
}

/** Returns one protected path below each folder, if any, because the folder's own name does not reveal it. */
async function protectedBelow(
  paths: readonly string[],
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
  rules: PlaceRules,
): Promise<string[]> {
  const isProtected = (path: string) => rules.protection(path) !== undefined
  const found = await Promise.all(
    paths.map(async (path) => {
      const { absolute, relative, type } = await workspace.resolve(path, { missing: 'allow' })
      return type === 'directory' ? findBelow(absolute, relative, isProtected, signal) : undefined
    }),
  )
  return found.filter((path) => path !== undefined)
}
