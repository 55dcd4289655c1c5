import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { toFailure } from '../../shared/errors.ts'
import { runCommand } from '../platform/commands.ts'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { attempt } from '../platform/notices.ts'
import { registerPageSave, setUnsavedPage } from '../platform/layout/pages.tsx'
import { Button } from '../ui/index.ts'
import { registerSettingsSchemas, registerUserFileSchemas } from './settingsSchemas.ts'
import './settings.css'

interface JsonTextPageProps {
  tabId: string
  /** Name of the page, for screen readers and messages. */
  title: string
  /** URI of the model, which determines its schema. */
  uri: string
  children: ReactNode
  /** Loads the stored text. If the function changes, the text is loaded again, unless the user has edited it. */
  read: () => Promise<string>
  write: (text: string) => Promise<unknown>
}

/** Creates the page's editor. The model is null until then. */
function useJsonEditor({ tabId, title, uri }: Pick<JsonTextPageProps, 'tabId' | 'title' | 'uri'>) {
  const host = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<monaco.editor.IStandaloneCodeEditor | null>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const parsed = monaco.Uri.parse(uri)
    // In a split editor, both groups show the same model.
    const shared = monaco.editor.getModel(parsed)
    const model = shared ?? monaco.editor.createModel(draftOf(tabId) ?? '', 'json', parsed)
    const created = monaco.editor.create(host.current, {
      model,
      ariaLabel: `${title} as text`,
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
    attempt(
      () => Promise.all([registerSettingsSchemas(), registerUserFileSchemas()]),
      'The schemas could not be loaded',
    )
    return () => {
      setEditor(null)
      created.dispose()
      if (!model.isAttachedToEditor()) model.dispose()
    }
  }, [tabId, title, uri])
  return { host, editor }
}

/** A JSON text outside the folder, with completion and schema validation. Takes effect when saved. */
export function JsonTextPage({ tabId, title, uri, children, read, write }: JsonTextPageProps) {
  const { host, editor } = useJsonEditor({ tabId, title, uri })
  const [changed, setChanged] = useState(draftOf(tabId) !== null)
  const [problem, setProblem] = useState('')
  const discard = useCallback(() => {
    storeDraft(tabId, null)
    setProblem('')
    setChanged(false)
  }, [tabId])
  const fontSize = useEditorSettings()?.fontSize ?? 13

  useEffect(
    () => editor?.updateOptions({ fontSize, fontFamily: "'JetBrains Mono Variable', monospace" }),
    [editor, fontSize],
  )

  useEffect(() => {
    const model = editor?.getModel()
    if (!model) return undefined
    storeDraft(tabId, draftOf(tabId))
    const subscription = model.onDidChangeContent(({ isFlush }) => {
      if (isFlush) return
      storeDraft(tabId, model.getValue())
      setChanged(true)
    })
    const unregister = registerPageSave(tabId, async () => {
      const text = model.getValue()
      try {
        await write(text)
        // The user may have continued typing.
        if (model.getValue() === text) discard()
      } catch (error) {
        setProblem(toFailure(error).message)
      }
    })
    return () => {
      subscription.dispose()
      unregister()
    }
  }, [editor, tabId, write, discard])

  // The text follows the stored one, unless the user has edited it.
  useEffect(() => {
    const model = editor?.getModel()
    if (!model || changed) return
    attempt(async () => {
      const text = await read()
      if (draftOf(tabId) === null && !model.isDisposed() && model.getValue() !== text) model.setValue(text)
    }, `${title} could not be loaded`)
  }, [editor, read, changed, tabId, title])

  return (
    <div className="settings-json" role="region" aria-label={title}>
      <div className="settings-json-bar">
        <p>{children}</p>
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
          {`${title} was not saved. ${problem}`}
        </p>
      )}
      <div ref={host} className="settings-json-editor monaco-component" />
    </div>
  )
}

// Unsaved texts of JSON pages, by tab id. They survive closing the tab and the window.

const prefix = 'tizona.draft.'

/** Returns a page's unsaved text; null if there is none. */
function draftOf(tabId: string): string | null {
  return localStorage.getItem(`${prefix}${tabId}`)
}

/** Stores a page's unsaved text; null removes it. */
function storeDraft(tabId: string, text: string | null): void {
  if (text === null) localStorage.removeItem(`${prefix}${tabId}`)
  else localStorage.setItem(`${prefix}${tabId}`, text)
  setUnsavedPage(tabId, text !== null)
}
