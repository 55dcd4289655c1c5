import { respellPath } from '../../workspace/pathSpelling.ts'
import { relativeGlob } from '../../base/workspaceRoots.ts'
import type { Workspace } from '../../workspace/containment.ts'
import type { Tool } from '../common/toolDefinition.ts'

/** Parameters of Tizona's own tools that hold a path. */
const pathParameters: ReadonlySet<string> = new Set([
  'path',
  'file_path',
  'file_a',
  'file_b',
  'source',
  'destination',
  'cwd',
])
/** Parameters that hold a list of paths or globs, or one glob. */
const globParameters: ReadonlySet<string> = new Set(['paths', 'scope', 'exclude', 'file_pattern'])
/** Tools whose `pattern` is a glob. */
const globTools: ReadonlySet<string> = new Set(['find_files_glob', 'Find', 'file_search'])
/** Matches lines of a patch that name a file. */
const patchPath = /^(\*\*\* (?:(?:Add|Update|Delete) File|Move to): +)([^ \t\n](?:.*[^ \t\n])?)[ \t]*$/gm

/** How a parameter names files. Undefined if it does not. */
export function pathKind(tool: Tool, name: string): 'path' | 'globs' | 'patch' | undefined {
  if (tool.server !== undefined) return undefined
  if (pathParameters.has(name)) return 'path'
  if (globParameters.has(name) || (name === 'pattern' && globTools.has(tool.name))) return 'globs'
  return name === 'patch' ? 'patch' : undefined
}

/**
 * Returns the arguments with the paths that the model means (`respellPath`), before the approval sees them.
 * @returns note for the model if a path was read differently
 */
export async function respellPaths(
  tool: Tool,
  args: Record<string, unknown>,
  workspace: Workspace,
): Promise<{ values: Record<string, unknown>; note?: string }> {
  const changed: string[] = []
  const values: Record<string, unknown> = {}
  async function path(given: string): Promise<string> {
    const meant = await respellPath(given, workspace)
    if (meant !== given) changed.push(`"${given}" was read as "${meant}".`)
    return meant
  }
  // An exact name in a list can contain the characters of globs.
  const pathOrGlob = async (given: unknown) =>
    typeof given !== 'string'
      ? given
      : relativeGlob(workspace, /[*?]/.test(given) ? respellGlob(given) : await path(given))
  for (const [name, value] of Object.entries(args)) {
    const kind = pathKind(tool, name)
    if (kind === 'globs' && Array.isArray(value)) values[name] = await Promise.all(value.map(pathOrGlob))
    else if (kind === undefined || typeof value !== 'string') values[name] = value
    else if (kind === 'path') values[name] = await path(value)
    else if (kind === 'globs') values[name] = relativeGlob(workspace, respellGlob(value))
    else values[name] = await respellPatch(value, path)
  }
  return changed.length === 0 ? { values } : { values, note: [...new Set(changed)].join(' ') }
}

/** A backslash in a glob is a separator, except before a character that it escapes. */
function respellGlob(given: string): string {
  const trimmed = given.trim()
  const bare = /^(["'`])(.+)\1$/s.exec(trimmed)?.[2] ?? trimmed
  return process.platform === 'win32' ? bare : bare.replaceAll(/\\(?![[\]{}!?\\]|$)/g, '/')
}

async function respellPatch(patch: string, path: (given: string) => Promise<string>): Promise<string> {
  const meant = new Map<string, string>()
  for (const [, , given = ''] of patch.matchAll(patchPath)) meant.set(given, await path(given))
  return meant.size === 0
    ? patch
    : patch.replaceAll(patchPath, (line, start: string, given: string) =>
        meant.get(given) === given ? line : `${start}${meant.get(given)}`,
      )
}
