import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { toFailure, type Failure } from '../../shared/errors.ts'
import { runCommand } from '../platform/commands.ts'
import { jsonSuggestions } from '../platform/editor/editorOptions.ts'
import { openDiff } from '../platform/editor/editorService.ts'
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
  /**
   * Stores what the user edited.
   * @param base the stored text that the user began with
   * @param overwrite whether to replace what changed elsewhere meanwhile
   * @throws `conflict` if the user edited what changed elsewhere
   */
  write: (text: string, base: string, overwrite: boolean) => Promise<unknown>
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
    const model = shared ?? monaco.editor.createModel(takeDraft(tabId) ?? '', 'json', parsed)
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
      quickSuggestions: jsonSuggestions,
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
export function JsonTextPage(props: JsonTextPageProps) {
  const { title, uri, children } = props
  const { host, editor } = useJsonEditor(props)
  const { changed, problem, newer, discard, overwrite } = useDraft(editor, props)
  const compare = (original: string) => {
    const modified = editor?.getModel()?.getValue() ?? ''
    openDiff({ title: `${title} (stored ↔ yours)`, path: uri.slice(uri.lastIndexOf('/') + 1), original, modified })
  }
  const fontSize = useEditorSettings()?.fontSize ?? 13

  useEffect(
    () => editor?.updateOptions({ fontSize, fontFamily: "'JetBrains Mono Variable', monospace" }),
    [editor, fontSize],
  )

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
      {problem && (
        <p className="settings-json-problem" role="alert">
          {`${title} was not saved. ${problem.message}`}
        </p>
      )}
      {newer !== null && (
        <div className="settings-json-bar" role="status">
          <p>
            {problem?.code === 'conflict'
              ? 'The stored text changed elsewhere after you began to edit. Overwrite stores your version instead.'
              : 'The stored text changed elsewhere after you began to edit. Saving adds your changes to it.'}
          </p>
          <Button variant="ghost" onClick={() => compare(newer)}>
            Compare with stored
          </Button>
          {problem?.code === 'conflict' && (
            <Button variant="danger" onClick={overwrite}>
              Overwrite
            </Button>
          )}
        </div>
      )}
      <div ref={host} className="settings-json-editor monaco-component" />
    </div>
  )
}

/** Keeps the user's changes until they are saved or discarded. */
function useDraft(
  editor: monaco.editor.IStandaloneCodeEditor | null,
  { tabId, title, read, write }: Pick<JsonTextPageProps, 'tabId' | 'title' | 'read' | 'write'>,
) {
  const [changed, setChanged] = useState(draftOf(tabId) !== null)
  const [problem, setProblem] = useState<Failure | null>(null)
  /** The stored text, if it is no longer the one that the user began with. */
  const [newer, setNewer] = useState<string | null>(null)
  const discard = useCallback(() => {
    storeDraft(tabId, null)
    setProblem(null)
    setNewer(null)
    setChanged(false)
  }, [tabId])
  const save = useCallback(
    async (overwrite: boolean) => {
      const model = editor?.getModel()
      if (!model) return undefined
      const text = model.getValue()
      try {
        await write(text, baseOf(tabId), overwrite)
        setBase(tabId, text)
        if (model.getValue() === text) return discard()
        // The user continued typing. What was typed is added to the text that is stored now.
        storeDraft(tabId, model.getValue())
        setProblem(null)
        const saved = await read().catch(() => undefined)
        if (baseOf(tabId) !== text) return undefined
        setBase(tabId, text, saved)
        setNewer(null)
      } catch (error) {
        setProblem(toFailure(error))
        if (toFailure(error).code === 'conflict') setNewer(await read())
      }
    },
    [editor, tabId, read, write, discard],
  )

  useEffect(() => {
    const model = editor?.getModel()
    if (!model) return undefined
    setUnsavedPage(tabId, draftOf(tabId) !== null)
    const subscription = model.onDidChangeContent(({ isFlush }) => {
      if (isFlush) return
      storeDraft(tabId, model.getValue())
      setChanged(true)
    })
    const unregister = registerPageSave(tabId, () => save(false))
    return () => {
      subscription.dispose()
      unregister()
    }
  }, [editor, tabId, save])

  // The text follows the stored one, unless the user has edited it.
  useEffect(() => {
    const model = editor?.getModel()
    if (!model) return undefined
    let isStale = false
    attempt(async () => {
      const text = await read()
      if (isStale || model.isDisposed()) return
      // The draft is shared with other windows, which can remove it.
      if (changed || draftOf(tabId) !== null) setNewer(isNewer(tabId, text) ? text : null)
      else {
        setBase(tabId, text)
        if (model.getValue() !== text) model.setValue(text)
      }
    }, `${title} could not be loaded`)
    return () => {
      isStale = true
    }
  }, [editor, read, changed, tabId, title])

  return { changed, problem, newer, discard, overwrite: () => void save(true) }
}

// Unsaved texts of JSON pages and the stored texts that they began with, by tab id. They survive closing the tab and
// the window, and are shared with other windows.

const prefix = 'tizona.draft.'
const basePrefix = 'tizona.draftBase.'

/** What the text of this window's model began with. */
interface Base {
  text: string
  /** The text that was stored when the user saved. It may be formatted, or have changes from elsewhere. */
  saved?: string
}
const bases = new Map<string, Base>()

/** Returns a page's unsaved text; null if there is none. */
function draftOf(tabId: string): string | null {
  return localStorage.getItem(`${prefix}${tabId}`)
}

/** Returns a page's unsaved text for a new model, whose base is then that of the text, even if it is from another window. */
function takeDraft(tabId: string): string | null {
  const draft = draftOf(tabId)
  if (draft === null) bases.delete(tabId)
  else bases.set(tabId, { text: localStorage.getItem(`${basePrefix}${tabId}`) ?? '' })
  return draft
}

/** Returns the stored text that the text of this window's model began with; empty if it is not known. */
function baseOf(tabId: string): string {
  return bases.get(tabId)?.text ?? ''
}

/** Whether the stored text has changed since the text of this window's model began. */
function isNewer(tabId: string, stored: string): boolean {
  const base = bases.get(tabId)
  return stored !== (base?.saved ?? base?.text ?? '')
}

/** Sets what the text of this window's model begins with. */
function setBase(tabId: string, text: string, saved?: string): void {
  bases.set(tabId, { text, ...(saved !== undefined && { saved }) })
}

/** Stores a page's unsaved text; null removes it. */
function storeDraft(tabId: string, text: string | null): void {
  if (text === null) {
    localStorage.removeItem(`${prefix}${tabId}`)
    localStorage.removeItem(`${basePrefix}${tabId}`)
  } else {
    localStorage.setItem(`${prefix}${tabId}`, text)
    localStorage.setItem(`${basePrefix}${tabId}`, baseOf(tabId))
  }
  setUnsavedPage(tabId, text !== null)
}
