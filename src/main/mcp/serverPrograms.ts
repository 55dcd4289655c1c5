import { folderOrFirst, pathInFolder, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { McpDefinition } from '../../shared/tools/mcp.ts'

/** SHA-256 of each workspace file that the command line of a server names, by path relative to the workspace. */
export type ServerPrograms = Readonly<Record<string, string>>

/** Returns the hash of a workspace file; null for anything else. @param path relative to the workspace, or absolute */
export type HashWorkspaceFile = (path: string) => Promise<{ path: string; hash: string } | null>

/** Files that determine what a package manager, build tool or interpreter starts for a name. */
const manifests = ['package.json', 'deno.json', 'pyproject.toml', 'Makefile', 'justfile', 'Cargo.toml', 'go.mod']
const runners =
  /^(?:npm|npx|pnpm|yarn|bun|bunx|deno|node|uv|uvx|poetry|python[\d.]*|make|just|cargo|go)(?:\.exe|\.cmd)?$/
/** Files that an interpreter starts for a folder. */
const entryFiles = [
  'package.json',
  'index.js',
  'index.mjs',
  'index.cjs',
  'index.ts',
  '__main__.py',
  'main.py',
  'main.go',
]

/**
 * Returns the workspace files that a server starts: those that its command, arguments and variables name, the entry
 * files of folders named there, and the manifests that its package manager reads. Modules that these files load are not
 * included.
 */
export async function readServerPrograms(
  { definition, file }: { definition: McpDefinition; file?: string | undefined },
  workspace: WorkspaceRoots,
  hashFile: HashWorkspaceFile,
): Promise<ServerPrograms> {
  if (definition.type !== 'stdio') return {}
  const { folder, absolute } = folderOrFirst(workspace, file ?? '.')
  const words = possibleFileNames(definition).map((word) => word.replaceAll('${workspaceFolder}', absolute))
  const candidates = new Set(words.filter((word) => word !== '' && !word.includes('\0')))
  const program = definition.command.split(/[\\/]/).at(-1) ?? ''
  const named = [...candidates, ...[...candidates].flatMap((word) => entryFiles.map((name) => `${word}/${name}`))]
  const found = await Promise.all(
    [...named, ...(runners.test(program) ? manifests : [])].map((each) => hashFile(pathInFolder(folder, each))),
  )
  const programs = found.flatMap((file) => (file === null ? [] : [[file.path, file.hash] as const]))
  return Object.fromEntries(programs.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Returns the possible file names in a definition: its texts, and the words in them. */
export function possibleFileNames(definition: McpDefinition): string[] {
  if (definition.type !== 'stdio') return []
  const texts = [definition.command, ...(definition.args ?? []), ...Object.values(definition.env ?? {})]
  // A shell line or an option with a value names files within one argument.
  return texts.flatMap((text) => [text, ...text.split(/[\s=,;|&()"']+/)])
}

/** Returns the paths that were added, removed or changed between two states. */
export function changedPrograms(before: ServerPrograms, now: ServerPrograms): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...paths].filter((path) => before[path] !== now[path]).toSorted()
}
