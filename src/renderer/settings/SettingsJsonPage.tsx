import { useEffect, useRef, useState } from 'react'
import { toFailure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { useEditorSettings } from '../platform/editorSettings.ts'
import { monaco } from '../platform/editor/monaco.ts'
import { attempt } from '../platform/notices.ts'
import { registerPageSave } from '../platform/pages.tsx'
import { Button } from '../ui/index.ts'
import { registerSettingsSchemas, settingsUri } from './settingsSchemas.ts'
import './settings.css'

/** Text that the user has not saved. Kept while the page is closed. */
let draft: string | null = null

/** Creates the editor of the page. The model is null until then. */
function useJsonEditor() {
  const host = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<monaco.editor.IStandaloneCodeEditor | null>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const model = monaco.editor.createModel(draft ?? '', 'json', monaco.Uri.parse(settingsUri))
    const created = monaco.editor.create(host.current, {
      model,
      ariaLabel: 'Settings as JSON',
      automaticLayout: true,
      useShadowDOM: false,
      fixedOverflowWidgets: true,
      minimap: { enabled: false },
      scrollBeyondLastLine: false,
      tabSize: 2,
      padding: { top: 8 },
    })
    created.focus()
    setEditor(created)
    attempt(registerSettingsSchemas, 'The schema of the settings could not be loaded')
    return () => {
      setEditor(null)
      created.dispose()
      model.dispose()
    }
  }, [])
  return { host, editor }
}

/** The settings of the user as JSON, with completion and checks by their schema. */
export function SettingsJsonPage() {
  const { host, editor } = useJsonEditor()
  const [changed, setChanged] = useState(draft !== null)
  const [problem, setProblem] = useState('')
  const fontSize = useEditorSettings()?.fontSize ?? 13
  const stored = useApp((store) => store.state?.settings)

  useEffect(
    () => editor?.updateOptions({ fontSize, fontFamily: "'JetBrains Mono Variable', monospace" }),
    [editor, fontSize],
  )

  useEffect(() => {
    const model = editor?.getModel()
    if (!model) return undefined
    const subscription = model.onDidChangeContent(({ isFlush }) => {
      if (isFlush) return
      draft = model.getValue()
      setChanged(true)
    })
    const unregister = registerPageSave('settingsJson', async () => {
      try {
        await request('settings.setDocument', { text: model.getValue() })
        discard()
      } catch (error) {
        setProblem(toFailure(error).message)
      }
    })
    return () => {
      subscription.dispose()
      unregister()
    }
  }, [editor])

  // The text follows the settings, unless the user has changed it.
  useEffect(() => {
    const model = editor?.getModel()
    if (!model || changed) return
    attempt(async () => {
      const { text } = await request('settings.document', {})
      if (draft === null && !model.isDisposed() && model.getValue() !== text) model.setValue(text)
    }, 'The settings could not be read')
  }, [editor, stored, changed])

  function discard(): void {
    draft = null
    setProblem('')
    setChanged(false)
  }

  return (
    <div className="settings-json" role="region" aria-label="Settings (JSON)">
      <div className="settings-json-bar">
        <p>
          Lists settings that differ from the defaults. Model servers, keys and MCP servers are on the settings page.
        </p>
        {changed && (
          <Button variant="ghost" onClick={discard}>
            Discard changes
          </Button>
        )}
        <Button variant="primary" disabled={!changed} onClick={() => void runCommand('file.save')}>
          Save
        </Button>
      </div>
      {problem !== '' && (
        <p className="settings-json-problem" role="alert">
          The settings were not saved. {problem}
        </p>
      )}
      <div ref={host} className="settings-json-editor monaco-component" />
    </div>
  )
}
