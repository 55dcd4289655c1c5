import { ToolError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Snippet } from '../../shared/editor/snippets.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { folderOf, inEachFolder, pathInFolder } from '../base/workspaceRoots.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { folderEditorSettings } from '../settings/editorImport/convertSettings.ts'
import { readSnippetFolder } from '../settings/snippetFiles.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

export const folderSettingsFile = '.tizona/settings.json'

/** Reads `.tizona/settings.json` of a folder. Returns null if it is missing or the workspace is not trusted. */
export async function readFolderSettings(
  workspace: Workspace,
  trust: WorkspaceTrust,
  folder = '.',
): Promise<string | null> {
  return trust.isTrusted() ? readConfiguration(workspace, pathInFolder(folder, folderSettingsFile)) : null
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
  if (workspace.folders)
    throw new ToolError(
      'refused',
      'A workspace with several folders has no settings of Tizona.',
      'Change your own settings, or open the folder alone.',
    )
  const { exists } = await workspace.resolve(folderSettingsFile, { missing: 'allow' })
  if (!exists) return void (await documents.write(folderSettingsFile, change('')))
  const document = await documents.read(folderSettingsFile)
  await documents.edit(document, change(document.text))
}

/** Reads `.vscode/*.code-snippets`. Returns nothing if the folder is not trusted. */
export async function readFolderSnippets(workspace: Workspace, trust: WorkspaceTrust): Promise<Snippet[]> {
  if (!trust.isTrusted()) return []
  const found = await Promise.all(
    inEachFolder(workspace, '.vscode').map(async (folder) => {
      const { absolute } = await workspace.resolve(folder, { missing: 'allow' })
      return readSnippetFolder(absolute, { onlyShared: true })
    }),
  )
  return found.flat()
}

/** Reads `.vscode/settings.json` of a folder. */
export async function readEditorSettings(
  workspace: Workspace,
  trust: WorkspaceTrust,
  folder: string,
): Promise<string | null> {
  return trust.isTrusted() ? readConfiguration(workspace, pathInFolder(folder, '.vscode/settings.json')) : null
}

/** Reads the `settings` in the file of a multi-root workspace. */
export async function readWorkspaceSettings(workspace: Workspace, trust: WorkspaceTrust): Promise<string | null> {
  if (!trust.isTrusted() || !workspace.multiRoot) return null
  const file = parseLooseJson((await readSmallFile(workspace.multiRoot.file)) ?? '')
  return JSON.stringify((file as { settings?: unknown } | undefined)?.settings ?? {})
}

/**
 * Reads the editor settings of VS Code that apply to the whole workspace: those of its file, or of the only folder.
 */
export async function readVsCodeEditorSettings(
  workspace: Workspace,
  trust: WorkspaceTrust,
): Promise<Partial<Settings['editor']>> {
  const text = await (workspace.folders
    ? readWorkspaceSettings(workspace, trust)
    : readEditorSettings(workspace, trust, '.'))
  const values = text === null ? undefined : parseLooseJson(text)
  return typeof values === 'object' && values !== null ? folderEditorSettings({ ...values }) : {}
}

/** Reads a small configuration file of a folder. Returns null if it does not exist. */
export async function readConfiguration(workspace: Workspace, path: string): Promise<string | null> {
  // A path without the name of a folder could otherwise mean a file of any of them.
  if (!folderOf(workspace, path)) return null
  const { absolute, exists } = await workspace.resolve(path, { missing: 'allow' })
  return exists ? readSmallFile(absolute) : null
}
