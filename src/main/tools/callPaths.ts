import { ToolError } from '../../shared/errors.ts'
import type { GateCall } from '../approval/gate.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { changedBareRepository } from '../git/repositoryContainment.ts'
import { findBelow } from '../workspace/findBelow.ts'
import type { Tool, ToolContext } from './common/toolDefinition.ts'

/** The paths of a call that the gate checks. */
export type CallPaths = Required<Pick<GateCall, 'reads' | 'writes'>> & Pick<GateCall, 'changedRepository'>

/** Returns the paths that a call reads and writes, as passed and as resolved, so that a link cannot hide one. */
export async function callPaths(
  tool: Tool,
  args: Record<string, unknown>,
  context: Pick<ToolContext, 'workspace' | 'editor' | 'signal'>,
  rules: PlaceRules,
): Promise<CallPaths> {
  const { workspace } = context
  const active = await activeFile(tool, context)
  const given = [...(tool.writes?.(args) ?? []), ...active.writes]
  const written = await Promise.all(
    given.map(async (path) => (await workspace.resolve(path, { missing: 'allow' })).relative),
  )
  const below = tool.writesBelow?.(args) ?? []
  const renamed = await renamedBelow(tool.renames?.(args), context, rules)
  return {
    reads: [...(await readPaths([...(tool.reads?.(args) ?? []), ...active.reads], context)), ...renamed.secrets],
    writes: [
      ...new Set([...given, ...written]),
      ...(await protectedBelow(below, context, rules)),
      ...renamed.protectedPaths,
    ],
    changedRepository: written.length > 0 ? await changedBareRepository(workspace, written) : undefined,
  }
}

/** Returns the active file if the tool uses it. Without a window or file, the tool itself reports the error. */
async function activeFile(
  { activeFile: active }: Tool,
  context: Pick<ToolContext, 'editor' | 'signal'>,
): Promise<{ reads: string[]; writes: string[] }> {
  const none = { reads: [], writes: [] }
  if (active === undefined) return none
  try {
    return { ...none, [active.use]: [await active.find(context)] }
  } catch (error) {
    if (error instanceof ToolError) return none
    throw error
  }
}

/** Ignores a path that cannot be resolved, because the tool reports the error. */
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

/** If renaming a folder gives a path inside it a protected name, or hides a secret, returns one such path each. */
async function renamedBelow(
  renamed: { source: string; destination: string } | undefined,
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
  rules: PlaceRules,
): Promise<{ protectedPaths: string[]; secrets: string[] }> {
  const found = { protectedPaths: [] as string[], secrets: [] as string[] }
  if (renamed === undefined) return found
  const source = await workspace.resolve(renamed.source, { missing: 'allow' })
  if (source.type !== 'directory') return found
  const { relative: destination } = await workspace.resolve(renamed.destination, { missing: 'allow' })
  const after = (path: string) => `${destination}${path.slice(source.relative.length)}`
  const search = (test: (path: string) => boolean) => findBelow(source.absolute, source.relative, test, signal)
  const becomes = await search((path) => rules.protection(after(path)) !== undefined)
  if (becomes !== undefined) found.protectedPaths.push(after(becomes))
  const hidden = await search((path) => rules.secret(path) !== undefined && rules.secret(after(path)) === undefined)
  if (hidden !== undefined) found.secrets.push(hidden)
  return found
}
