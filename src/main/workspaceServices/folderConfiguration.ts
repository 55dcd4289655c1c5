import type { Snippet } from '../../shared/snippets.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { readSnippetFolder } from '../settings/snippetFiles.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

/** Reads `.tizona/settings.json`. Returns null if it is missing or the folder is not trusted. */
export async function readFolderSettings(workspace: Workspace, trust: WorkspaceTrust): Promise<string | null> {
  return trust.isTrusted() ? readConfiguration(workspace, '.tizona/settings.json') : null
}

/** Reads `.vscode/*.code-snippets`. Returns nothing if the folder is not trusted. */
export async function readFolderSnippets(workspace: Workspace, trust: WorkspaceTrust): Promise<Snippet[]> {
  if (!trust.isTrusted()) return []
  const { absolute } = await workspace.resolve('.vscode', { missing: 'allow' })
  return readSnippetFolder(absolute, { onlyShared: true })
}

/** Reads a small configuration file of the folder. Returns null if it does not exist. */
export async function readConfiguration(workspace: Workspace, path: string): Promise<string | null> {
  const { absolute, exists } = await workspace.resolve(path, { missing: 'allow' })
  return exists ? readSmallFile(absolute) : null
}
