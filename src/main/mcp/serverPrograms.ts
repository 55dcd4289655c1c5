import { possibleScripts, runsManifest } from '../base/commandFiles.ts'
import { folderOrFirst, pathInFolder, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { McpDefinition } from '../../shared/tools/mcp.ts'

/** SHA-256 of each workspace file that the command line of a server names, by path relative to the workspace. */
export type ServerPrograms = Readonly<Record<string, string>>

/** Returns the hash of a workspace file; null for anything else. @param path relative to the workspace, or absolute */
export type HashWorkspaceFile = (path: string) => Promise<{ path: string; hash: string } | null>

/** Interpreters of servers read a manifest too: it names the modules that they load. */
const interpreters = /(?:^|[\s/])(?:node|python[\d.]*)(?:\.exe)?(?:\s|$)/
const readsManifest = (command: string): boolean => interpreters.test(command) || runsManifest(command)

/**
 * Returns the workspace files that a server starts: those that its command, arguments and variables name, also as a
 * module or a folder, and the manifests that its package manager reads. Modules that these files load are not included.
 */
export async function readServerPrograms(
  { definition, file }: { definition: McpDefinition; file?: string | undefined },
  workspace: WorkspaceRoots,
  hashFile: HashWorkspaceFile,
): Promise<ServerPrograms> {
  if (definition.type !== 'stdio') return {}
  const { folder, absolute } = folderOrFirst(workspace, file ?? '.')
  const inFolder = (text: string): string => text.replaceAll('${workspaceFolder}', absolute)
  const line = [definition.command, ...(definition.args ?? [])].join(' ')
  const texts = [line, ...Object.values(definition.env ?? {})].map(inFolder)
  const scripts = texts.flatMap((text) => possibleScripts(text, { runs: readsManifest, completes: 'every' }))
  const named = [...scripts, ...possibleFileNames(definition).map(inFolder)]
  const candidates = new Set(named.filter((word) => word !== '' && !word.includes('\0')))
  const found = await Promise.all([...candidates].map((each) => hashFile(pathInFolder(folder, each))))
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
