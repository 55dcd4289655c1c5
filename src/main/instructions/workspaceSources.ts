import path from 'node:path/posix'
import type { TrustEffect } from '../../shared/files/folderTrust.ts'
import { topFolders } from '../base/workspaceRoots.ts'
import { workspaceEntries, type InstructionDeps } from './instructionFiles.ts'
import { folderFiles, topFiles, readRules } from './instructions.ts'
import { listPromptCommands, workspaceCommandFolder } from './promptFiles.ts'
import { listSkills } from './skills.ts'

interface SourceSearch {
  /** Finds files by the letters of their paths; see search/fileNameSearch.ts. */
  find(query: string, limit: number, signal: AbortSignal): Promise<string[]>
}

/** Maximum number of instruction files in subfolders. */
const maxNested = 50

/**
 * Lists the instruction files, rules, skills and prompts in a folder, for the trust dialog. Reads them whether or not
 * the folder is trusted, and sends nothing to a model.
 */
export async function listWorkspaceSources(
  deps: InstructionDeps,
  names: SourceSearch,
  signal: AbortSignal,
): Promise<TrustEffect[]> {
  const reading: InstructionDeps = { ...deps, trusted: () => true, plugins: async () => [] }
  const [top, nested, rules, skills, prompts] = await Promise.all([
    Promise.all(topFolders(deps).map((folder) => topFilesIn(reading, folder, signal))),
    Promise.all(folderFiles.map((name) => names.find(name, maxNested, signal))),
    readRules(reading, signal),
    listSkills(reading, signal),
    listPromptCommands(reading, signal),
  ])
  const atTop = top.flat()
  const below = nested
    .flat()
    .filter((file) => file.includes('/') && folderFiles.some((name) => path.basename(file) === name))
    .filter((file) => !atTop.includes(file))
  const instructions = [...atTop, ...below.toSorted()]
  return [
    ...instructions.map((name) => ({ kind: 'instructions' as const, name })),
    ...rules.map((rule) => ({ kind: 'rule' as const, name: rule.path })),
    ...skills.flatMap(({ folder }) => (folder === undefined ? [] : [{ kind: 'skill' as const, name: folder }])),
    ...prompts.flatMap(({ name, source }) =>
      source !== 'workspace' ? [] : [{ kind: 'prompt' as const, name: `${workspaceCommandFolder}/${name}.md` }],
    ),
  ]
}

async function topFilesIn(deps: InstructionDeps, folder: string, signal: AbortSignal): Promise<string[]> {
  const names = await workspaceEntries(deps, folder, 'file', signal)
  return topFiles.filter((name) => names.includes(name)).map((name) => (folder === '.' ? name : `${folder}/${name}`))
}
