import { ToolError } from '../../shared/errors.ts'
import type { Snippet } from '../../shared/editor/snippets.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { readSnippetFolder } from '../settings/snippetFiles.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

const folderSettingsFile = '.tizona/settings.json'

/** Reads `.tizona/settings.json`. Returns null if it is missing or the folder is not trusted. */
export async function readFolderSettings(workspace: Workspace, trust: WorkspaceTrust): Promise<string | null> {
  return trust.isTrusted() ? readConfiguration(workspace, folderSettingsFile) : null
}

/**
 * Changes `.tizona/settings.json`, or creates it. If a tab has the file open, the change is one edit in the tab and
 * includes its unsaved text.
 * @throws ToolError `refused` if the folder is not trusted
 */
export async function changeFolderSettings(
  { workspace, trust, documents }: { workspace: Workspace; trust: WorkspaceTrust; documents: WindowDocuments },
  change: (text: string) => string,
): Promise<void> {
  if (!trust.isTrusted())
    throw new ToolError('refused', 'The folder is restricted, so it has no settings.', 'Trust the folder first.')
  const { exists } = await workspace.resolve(folderSettingsFile, { missing: 'allow' })
  if (!exists) return void (await documents.write(folderSettingsFile, change('')))
  const document = await documents.read(folderSettingsFile)
  await documents.edit(document, change(document.text))
}

/** Reads `.vscode/*.code-snippets`. Returns nothing if the folder is not trusted. */
export async function readFolderSnippets(workspace: Workspace, trust: WorkspaceTrust): Promise<Snippet[]> {
  if (!trust.isTrusted()) return []
  const { absolute } = await workspace.resolve('.vscode', { missing: 'allow' })
  return readSnippetFolder(absolute, { onlyShared: true })
}

/** Reads a small configuration file in the folder. Returns null if it does not exist. */
export async function readConfiguration(workspace: Workspace, path: string): Promise<string | null> {
  const { absolute, exists } = await workspace.resolve(path, { missing: 'allow' })
  return exists ? readSmallFile(absolute) : null
}
