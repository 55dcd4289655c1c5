import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Snippet } from '../../shared/editor/snippets.ts'
import type { UserData } from '../appServices/userData.ts'
import { createEditorImport } from '../settings/editorImport/editorImport.ts'
import { findImportSources } from '../settings/editorImport/editorFolders.ts'
import { readSnippetFolder } from '../settings/snippetFiles.ts'
import type { Handlers } from '../core/coreContract.ts'

type UserFileHandlers = Pick<
  Handlers,
  | 'snippets.list'
  | 'userFiles.snippets'
  | 'userFiles.read'
  | 'userFiles.write'
  | 'editorImport.sources'
  | 'editorImport.plan'
  | 'editorImport.run'
  | 'themes.list'
  | 'themes.add'
  | 'themes.remove'
  | 'keybindings.set'
>

/**
 * Handles requests about the user's shortcuts, snippets and themes, and their import from other editors.
 * @param folderSnippets returns those of the open folder
 * @param userData the user data folder
 */
export function createUserFileHandlers(
  {
    settings,
    keybindings,
    userFiles,
    themes,
    extensions,
  }: Pick<UserData, 'settings' | 'keybindings' | 'userFiles' | 'themes' | 'extensions'>,
  folderSnippets: () => Promise<readonly Snippet[]>,
  userData: string,
): UserFileHandlers {
  const editorImport = createEditorImport({
    settings,
    keybindings,
    userFiles,
    sources: () => findImportSources({ platform: process.platform, home: homedir(), env: process.env }),
  })
  return {
    'snippets.list': async () => [
      ...(await readSnippetFolder(join(userData, 'snippets'))),
      ...(await folderSnippets()),
      ...(await extensions.snippets()),
    ],
    'userFiles.snippets': () => userFiles.snippets(),
    'userFiles.read': ({ file }) => userFiles.read(file),
    'userFiles.write': ({ file, text, ...options }) => userFiles.write(file, text, options),
    'editorImport.sources': () => editorImport.sources(),
    'editorImport.plan': ({ source }) => editorImport.plan(source),
    'editorImport.run': ({ source }) => editorImport.run(source),
    'themes.list': async () => [...(await themes.list()), ...(await extensions.themes())],
    'themes.add': ({ name, text, included }) => themes.add(name, text, included),
    'themes.remove': ({ id }) => themes.remove(id),
    'keybindings.set': async ({ bindings }) => void (await keybindings.set(bindings)),
  }
}
