import { useEffect, useRef, useSyncExternalStore } from 'react'
import { vsCodeLanguage } from '../../shared/settings/languageBlocks.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { afterPaint } from './afterPaint.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { cursorOf, rememberCursor } from './cursors.ts'
import {
  bracketColors,
  editorOptions,
  largeFileOptions,
  lineNumberWidth,
  matchBrackets,
  normalFileOptions,
  suggestionDelay,
} from '../platform/editor/editorOptions.ts'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { monaco, pathOf, uriOf } from '../platform/editor/monaco/monaco.ts'
import { editorViewOf, reportStatus, type CodeEditor } from './monacoEditorView.ts'
import { attachEditorExtensions } from '../platform/editor/editorExtensions.ts'
import { onEditorConfigChanged, editorConfigOf } from './editorConfigs.ts'
import { registerMonacoKeys } from './monacoKeys.ts'
import { recordVisit } from './navigationHistory.ts'
import { viewChanged, registerView } from '../platform/editor/editorViews.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt, notifyFailure } from '../platform/notices.ts'
import type { editor } from 'monaco-editor'
import { runCommand } from '../platform/commands.ts'

registerMonacoKeys()

/** Makes Monaco open web links in the user's browser. By default it opens a window, which the desktop host denies. */
monaco.editor.registerLinkOpener({
  open(resource) {
    if (resource.scheme !== 'http' && resource.scheme !== 'https') return false
    attempt(() => request('app.openExternal', { url: resource.toString(true) }), 'The link could not be opened')
    return true
  },
})

/** Minimum milliseconds between two updates of the status bar. Each update takes an additional frame. */
const statusInterval = 200

interface MonacoViewProps {
  groupId: number
  /** Path of a loaded file; null while the group shows no file. */
  path: string | null
  /** Whether this is the active group, which the status bar describes. */
  active: boolean
  readonly: boolean
  /** Whether the file exceeds a limit of textBuffer.ts. Features that read the whole text are then off. */
  large: boolean
  onFocus: () => void
}

function onModelLanguage(listener: () => void): () => void {
  const subscription = monaco.editor.onDidChangeModelLanguage(listener)
  return () => subscription.dispose()
}

/** The settings for the language of a loaded file. */
function useTextSettings(path: string | null): { settings: Settings['editor'] | undefined; language?: string } {
  const language = useSyncExternalStore(onModelLanguage, () =>
    path === null ? undefined : monaco.editor.getModel(uriOf(path))?.getLanguageId(),
  )
  const settings = useEditorSettings(
    path === null || language === undefined ? undefined : vsCodeLanguage(language, path),
  )
  return { settings, ...(language !== undefined && { language }) }
}

interface LoadedViewProps extends MonacoViewProps {
  settings: Settings['editor']
  language?: string
}

/** A group's code editor, with the settings for the language of its file. */
export default function MonacoView(props: MonacoViewProps) {
  const { settings, ...language } = useTextSettings(props.path)
  return settings && <CodeEditorView {...props} {...language} settings={settings} />
}

/** A group's code editor: one Monaco instance that shows the model of the active file tab. */
function CodeEditorView({ groupId, path, active, readonly, large, settings, language, onFocus }: LoadedViewProps) {
  const host = useRef<HTMLDivElement>(null)
  const editorRef = useRef<CodeEditor | null>(null)
  const viewStates = useRef(new Map<string, monaco.editor.ICodeEditorViewState>())
  const latest = useRef<LatestProps>({ active, onFocus, settings })
  latest.current = { active, onFocus, settings }

  useEffect(() => {
    if (!host.current) return
    const { editor, dispose } = createCodeEditor(host.current, groupId, latest)
    editorRef.current = editor
    return () => {
      dispose()
      editorRef.current = null
    }
  }, [groupId])

  useEffect(
    () =>
      documents.onRename((from, to) => {
        const model = editorRef.current?.getModel()
        const isShown = model && pathOf(model.uri) === from
        const state = isShown ? editorRef.current?.saveViewState() : viewStates.current.get(from)
        if (state) viewStates.current.set(to, state)
        viewStates.current.delete(from)
      }),
    [],
  )

  // Before the effect that shows the text. With the options of normal files, a large text would be copied to a worker.
  useEffect(() => {
    const base = editorOptions(settings, editorRef.current?.getLayoutInfo().width)
    const bySize = large ? largeFileOptions : normalFileOptions(settings, language)
    editorRef.current?.updateOptions({
      ...base,
      ...bySize,
      minimap: { ...base.minimap, ...bySize.minimap },
      lineNumbersMinChars: lineNumberWidth(editorRef.current.getModel()?.getLineCount() ?? 0),
      readOnly: readonly,
      readOnlyMessage: { value: 'The file is read-only.' },
    })
  }, [settings, language, readonly, large])

  useEffect(() => {
    const editor = editorRef.current
    if (!editor) return
    const before = editor.getModel()
    const beforePath = before && !before.isDisposed() ? pathOf(before.uri) : null
    const state = editor.saveViewState()
    if (beforePath && state) viewStates.current.set(beforePath, state)
    const model = path === null ? null : monaco.editor.getModel(uriOf(path))
    // Read the stored cursor before setModel, which reports a cursor at the start of the model.
    const cursor = path === null ? null : cursorOf(path)
    editor.setModel(model)
    if (path !== null && model) {
      const length = model.getValueLength()
      editor.updateOptions({
        quickSuggestionsDelay: suggestionDelay(length),
        matchBrackets: matchBrackets(length),
        lineNumbersMinChars: lineNumberWidth(model.getLineCount()),
      })
      const known = viewStates.current.get(path)
      if (known) editor.restoreViewState(known)
      else if (cursor) {
        editor.setPosition({ lineNumber: cursor.line, column: cursor.column })
        editor.revealLineInCenterIfOutsideViewport(cursor.line)
      }
    }
    const shown = editor.getPosition()
    if (latest.current.active && path !== null && model && shown)
      recordVisit({ path, line: shown.lineNumber, column: shown.column })
    if (latest.current.active) reportStatus(editor)
    viewChanged()
  }, [path])

  const { tabSize, insertSpaces, detectIndentation } = settings
  useEffect(() => {
    const apply = () => {
      const model = path === null ? null : editorRef.current?.getModel()
      if (path !== null && model) applyIndentation(model, path, { tabSize, insertSpaces, detectIndentation })
    }
    apply()
    return onEditorConfigChanged(apply)
  }, [path, tabSize, insertSpaces, detectIndentation])

  const vimStatus = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (settings.vim && editorRef.current && vimStatus.current) return startVim(editorRef.current, vimStatus.current)
    return undefined
  }, [settings.vim, groupId])

  useEffect(() => {
    if (active && editorRef.current) reportStatus(editorRef.current)
  }, [active])

  useEffect(() => {
    // monacoBuffer.ts creates texts without these colors, because coloring reads the whole text.
    editorRef.current?.getModel()?.updateOptions(bracketColors(settings.bracketPairs && !large))
  }, [path, settings.bracketPairs, large])

  return (
    <>
      <div
        ref={host}
        className="editor-monaco monaco-component"
        hidden={path === null}
        data-testid={`monaco-${groupId}`}
      />
      {settings.vim && <div ref={vimStatus} className="editor-vim" hidden={path === null} data-testid="vim-status" />}
    </>
  )
}

interface LatestProps {
  active: boolean
  onFocus: () => void
  settings: Settings['editor']
}

/** Creates a group's Monaco editor and connects it to the view registry, the status bar and the navigation history. */
function createCodeEditor(
  host: HTMLElement,
  groupId: number,
  latest: { readonly current: LatestProps },
): { editor: CodeEditor; dispose: () => void } {
  const editor = monaco.editor.create(host, {
    ...editorOptions(latest.current.settings),
    model: null,
    ariaLabel: 'Editor',
  })
  const unregister = registerView(groupId, editorViewOf(editor))
  const status = afterPaint(() => {
    if (latest.current.active) reportStatus(editor)
  }, statusInterval)
  const report = status.schedule
  const subscriptions = [
    editor.onDidFocusEditorWidget(() => {
      latest.current.onFocus()
      report()
    }),
    editor.onDidChangeCursorSelection(() => {
      const shown = editor.getModel() && pathOf(editor.getModel()?.uri ?? uriOf(''))
      const position = editor.getPosition()
      if (shown && position) {
        const place = { line: position.lineNumber, column: position.column }
        rememberCursor(shown, place)
        if (latest.current.active) recordVisit({ path: shown, ...place })
      }
      report()
    }),
    editor.onDidChangeModelLanguage(report),
    editor.onDidLayoutChange(({ width }) => {
      const before = editor.getRawOptions().minimap
      const enabled = editorOptions(latest.current.settings, width).minimap?.enabled
      if (before?.enabled !== enabled) editor.updateOptions({ minimap: { ...before, enabled } })
    }),
    attachEditorExtensions(editor),
  ]
  return {
    editor,
    dispose() {
      unregister()
      status.cancel()
      subscriptions.forEach((subscription) => subscription.dispose())
      editor.dispose()
    },
  }
}

/** Sets a text's indentation: from `.editorconfig`, or else as detected in the text, or else from the setting. */
function applyIndentation(
  model: monaco.editor.ITextModel,
  path: string,
  {
    tabSize,
    insertSpaces,
    detectIndentation,
  }: Pick<Settings['editor'], 'tabSize' | 'insertSpaces' | 'detectIndentation'>,
): void {
  // A size that was detected before would stay.
  model.updateOptions({ tabSize, indentSize: tabSize, insertSpaces })
  if (detectIndentation) model.detectIndentation(insertSpaces, tabSize)
  void editorConfigOf(path).then(({ indentStyle, indentSize, tabWidth }) => {
    if (model.isDisposed()) return
    // Monaco's tab size is the width of a tab and, with spaces, of a level.
    const columns = indentStyle === 'tab' ? (tabWidth ?? indentSize) : (indentSize ?? tabWidth)
    model.updateOptions({
      ...(indentStyle !== undefined && { insertSpaces: indentStyle === 'space' }),
      ...(columns !== undefined && { tabSize: columns, indentSize: columns }),
    })
  })
}

/** The parts of monaco-vim's API that we use. */
interface VimApi {
  defineEx(name: string, prefix: string, run: () => void): void
}

let exCommandsDefined = false

/**
 * Turns on Vim keys in an editor.
 * @param status element that shows the mode and contains the command line
 * @returns a function that turns them off
 */
function startVim(codeEditor: editor.IStandaloneCodeEditor, status: HTMLElement): () => void {
  let stopped = false
  let stop = (): void => undefined
  import('monaco-vim').then(
    ({ initVimMode, VimMode }) => {
      if (stopped) return
      if (!exCommandsDefined) {
        exCommandsDefined = true
        // The typings of monaco-vim omit it.
        const { Vim } = VimMode as unknown as { Vim: VimApi }
        Vim.defineEx('write', 'w', () => void runCommand('file.save'))
        Vim.defineEx('wall', 'wa', () => void runCommand('file.saveAll'))
        Vim.defineEx('quit', 'q', () => void runCommand('tab.close'))
        Vim.defineEx('split', 'sp', () => void runCommand('editor.split'))
        Vim.defineEx('vsplit', 'vs', () => void runCommand('editor.split'))
      }
      const mode = initVimMode(codeEditor, status)
      stop = () => mode.dispose()
    },
    (error: unknown) => notifyFailure(error, 'Vim keys could not be loaded'),
  )
  return () => {
    stopped = true
    stop()
  }
}
