import { useCallback } from 'react'
import { keybindingsFile } from '../../shared/files/userFiles.ts'
import { useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { FileViewProps } from '../platform/editor/fileViews.tsx'
import { previewTab } from '../platform/editor/tabsState.ts'
import { JsonTextPage } from './JsonTextPage.tsx'
import { userFileUri } from './settingsSchemas.ts'
import { newSnippetFile } from './snippetFiles.ts'

/** The user's shortcuts or a snippet file as JSON. `path`: file name in the user data folder. */
export function UserFileView({ path: file }: FileViewProps) {
  const keybindings = useApp((store) => store.state?.keybindings)
  const isKeybindings = file === keybindingsFile
  const version = isKeybindings ? keybindings : null
  const read = useCallback(async () => {
    // The shortcuts page changes the file too.
    void version
    const { text, exists } = await request('userFiles.read', { file })
    return exists ? text : isKeybindings ? '[]\n' : newSnippetFile(file)
  }, [file, isKeybindings, version])
  const write = useCallback(
    (text: string, base: string, overwrite: boolean) => request('userFiles.write', { file, text, base, overwrite }),
    [file],
  )
  const title = isKeybindings ? 'Keyboard shortcuts (JSON)' : `Snippets (${file.slice(file.indexOf('/') + 1)})`
  return (
    <JsonTextPage
      key={file}
      tabId={previewTab(file, 'userFile').id}
      title={title}
      uri={userFileUri(file)}
      read={read}
      write={write}
    >
      {isKeybindings
        ? 'Your shortcuts, in the format of VS Code. A leading "-" removes the keys from a command.'
        : 'Your snippets, in the format of VS Code: a prefix that triggers the snippet, and a body with placeholders such as ${1:name}.'}
    </JsonTextPage>
  )
}
