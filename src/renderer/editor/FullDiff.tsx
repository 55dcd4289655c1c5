import { useEffect, useRef, useState } from 'react'
import { settingsForLanguage, vsCodeLanguage } from '../../shared/settings/languageBlocks.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { bracketColors, editorOptions } from '../platform/editor/editorOptions.ts'
import { minimalEdits } from '../platform/editor/documents/minimalEdits.ts'
import { addedHunk, stepHunk, useDiffPosition } from '../platform/editor/diffPosition.ts'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'
import type { DiffTab } from '../platform/editor/tabsState.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { runCommand } from '../platform/commands.ts'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { DiffActionsHost, type DiffActionsProps } from '../platform/editor/diffContributions.tsx'
import { openFile } from '../platform/editor/editorService.ts'
import { attempt } from '../platform/notices.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { HunkNavigation } from '../ui/diff/HunkActions.tsx'
import { IconButton } from '../ui/index.ts'

/**
 * Full diff of two texts: side by side, or inline depending on the setting and in a narrow editor. The modified side
 * can be the live text of an open file.
 */
export function FullDiff({ tab, settings }: { tab: DiffTab; settings: Settings['editor'] }) {
  const host = useRef<HTMLDivElement>(null)
  const shown = useRef<ShownDiff | null>(null)
  const [editors, setEditors] = useState<Pick<ShownDiff, 'diffEditor' | 'addedEditor'>>(noEditors)
  const given = useRef({ tab, settings })
  given.current = { tab, settings }
  const { id, path, original, modified } = tab
  // The diff editor cannot show a missing side, so an added or deleted file needs another view.
  const form = `${original === ''} ${modified === null ? 'live' : modified === ''}`

  useEffect(() => {
    if (!host.current) return
    const diff = showDiff(host.current, { ...given.current.tab, id, path }, given.current.settings)
    shown.current = diff
    setEditors(diff)
    return () => {
      shown.current = null
      setEditors(noEditors)
      diff.dispose()
    }
  }, [id, path, form])

  // Keep the editor, so that a layout change does not lose the position.
  useEffect(() => shown.current?.configure(settings), [settings])

  useEffect(() => {
    if (!shown.current) return
    setText(shown.current.original, original)
    if (modified !== null) setText(shown.current.modified, modified)
  }, [original, modified])

  return (
    <>
      <DiffBar tab={tab} diffEditor={editors.diffEditor} addedEditor={editors.addedEditor} />
      <div ref={host} className="editor-monaco monaco-component" />
    </>
  )
}

const noEditors = { diffEditor: null, addedEditor: null }

/** Maximum length of a text with colored brackets, in UTF-16 units. Coloring reads the whole text. */
const maxColoredLength = 1_000_000

interface ShownDiff extends monaco.IDisposable {
  original: monaco.editor.ITextModel
  modified: monaco.editor.ITextModel
  /** Null for an added or deleted file, which is shown as one text. */
  diffEditor: monaco.editor.IStandaloneDiffEditor | null
  /** Present for an added file. */
  addedEditor: monaco.editor.IStandaloneCodeEditor | null
  configure(settings: Settings['editor']): void
}

/** Replaces a model's text with minimal edits, so that cursor and scroll position stay. */
function setText(model: monaco.editor.ITextModel, text: string): void {
  const edits = minimalEdits(model.getValue(monaco.editor.EndOfLinePreference.LF), text.replaceAll('\r\n', '\n'))
  model.applyEdits(
    edits.map((edit) => ({
      range: monaco.Range.fromPositions(model.getPositionAt(edit.start), model.getPositionAt(edit.end)),
      text: edit.text,
    })),
  )
}

function showDiff(host: HTMLElement, tab: DiffTab, settings: Settings['editor']): ShownDiff {
  const language = monaco.editor.getModel(uriOf(tab.path))?.getLanguageId()
  // Without an open file, Monaco derives the language from the extension in the URI.
  const side = (text: string, which: string) => {
    const model = monaco.editor.createModel(
      text,
      language,
      language
        ? undefined
        : monaco.Uri.from({
            scheme: 'diff',
            authority: tab.id.replaceAll(/[^a-z0-9]/gi, ''),
            path: `/${which}/${tab.path}`,
          }),
    )
    model.setEOL(monaco.editor.EndOfLineSequence.LF)
    return model
  }
  const original = side(tab.original, 'original')
  const live = tab.modified === null ? monaco.editor.getModel(uriOf(tab.path)) : null
  const modified = live ?? side(tab.modified ?? '', 'modified')
  // Monaco colors brackets in new models, but open files are created without these colors.
  const colorBrackets = ({ bracketPairs }: Settings['editor']) => {
    for (const model of [original, modified])
      model.updateOptions(bracketColors(bracketPairs && model.getValueLength() <= maxColoredLength))
  }
  const ofLanguage = (all: Settings['editor']) =>
    settingsForLanguage(all, vsCodeLanguage(modified.getLanguageId(), tab.path))
  colorBrackets(ofLanguage(settings))
  const options = { readOnly: live === null, settings: ofLanguage(settings), path: tab.path }
  const whole = tab.original === '' ? 'insert' : tab.modified === '' ? 'delete' : null
  const single = whole !== null && original.getValue() !== modified.getValue()
  // When a file is closed, its text is disposed before its diff. Monaco reports an error if the diff editor still shows
  // it, so this listener comes before Monaco's.
  const closed = modified.onWillDispose(() => diffEditor?.setModel(null))
  const diffEditor = single ? null : showBothSides(host, { original, modified }, options)
  const textEditor = diffEditor
    ? null
    : showSingleSide(host, whole === 'insert' ? modified : original, whole ?? 'insert', options)
  return {
    original,
    modified,
    diffEditor,
    addedEditor: whole === 'insert' ? textEditor : null,
    configure(all) {
      const changed = ofLanguage(all)
      colorBrackets(changed)
      diffEditor?.updateOptions(diffOptions(changed))
      textEditor?.updateOptions(textOptions(changed))
    },
    dispose() {
      closed.dispose()
      diffEditor?.dispose()
      textEditor?.dispose()
      original.dispose()
      if (!live) modified.dispose()
    },
  }
}

const textOptions = (settings: Settings['editor']) => ({ ...editorOptions(settings), minimap: { enabled: false } })

const diffOptions = (settings: Settings['editor']) => ({
  ...textOptions(settings),
  // Space for the + and - signs.
  lineDecorationsWidth: 18,
  glyphMargin: false,
  renderSideBySide: settings.diffSideBySide,
  useInlineViewWhenSpaceIsLimited: true,
})

interface DiffViewOptions {
  readOnly: boolean
  settings: Settings['editor']
  path: string
}

function showBothSides(
  host: HTMLElement,
  sides: monaco.editor.IDiffEditorModel,
  { readOnly, settings, path }: DiffViewOptions,
): monaco.editor.IStandaloneDiffEditor {
  const editor = monaco.editor.createDiffEditor(host, {
    ...diffOptions(settings),
    readOnly,
    originalEditable: false,
    renderOverviewRuler: false,
    // Actions on a change are in the feature's bar.
    renderMarginRevertIcon: false,
    renderGutterMenu: false,
    hideUnchangedRegions: { enabled: true },
    diffAlgorithm: 'advanced',
  })
  keepName(editor.getOriginalEditor(), `${path}, before`)
  keepName(editor.getModifiedEditor(), `${path}, after`)
  editor.setModel(sides)
  return editor
}

/**
 * Shows an added or deleted file as one text with every line marked. Monaco's diff editor would show the missing side
 * as one empty line, which looks like a change to that line.
 */
function showSingleSide(
  host: HTMLElement,
  model: monaco.editor.ITextModel,
  change: 'insert' | 'delete',
  { readOnly, settings, path }: DiffViewOptions,
): monaco.editor.IStandaloneCodeEditor {
  const editor = monaco.editor.create(host, {
    ...textOptions(settings),
    readOnly,
    model,
    ariaLabel: change === 'insert' ? `${path}, all lines added` : `${path}, all lines removed`,
  })
  const decorations = editor.createDecorationsCollection()
  const markLines = () => {
    const end = addedHunk(model).modified.count
    const options = {
      isWholeLine: true,
      className: `line-${change}`,
      marginClassName: `gutter-${change}`,
      linesDecorationsClassName: `${change}-sign codicon codicon-diff-${change === 'insert' ? 'insert' : 'remove'}`,
    }
    decorations.set([{ range: new monaco.Range(1, 1, end, model.getLineMaxColumn(end)), options }])
  }
  markLines()
  const subscription = model.onDidChangeContent(markLines)
  editor.onDidDispose(() => subscription.dispose())
  return editor
}

/** Sets a side's accessible name, and again after layout changes, when Monaco's diff editor clears its own options. */
function keepName(side: monaco.editor.ICodeEditor, ariaLabel: string): void {
  const set = () => {
    if (side.getRawOptions().ariaLabel !== ariaLabel) side.updateOptions({ ariaLabel })
  }
  side.onDidChangeConfiguration(set)
  set()
}

/** The bar above every full diff: what is compared, line counts, navigation and the feature's actions. */
function DiffBar({ tab, diffEditor, addedEditor }: Omit<DiffActionsProps, 'position'>) {
  const position = useDiffPosition(diffEditor, addedEditor)
  const { hunks, current } = position
  const sideBySide = useEditorSettings()?.diffSideBySide ?? true
  const counts = tab.counts ?? ((diffEditor ?? addedEditor) && countsOf(hunks))
  return (
    <div className="diff-bar" role="toolbar" aria-label={`Changes in ${tab.path}`}>
      <span className="diff-path" title={tab.path}>
        <bdi>{visibleText(tab.path)}</bdi>
      </span>
      {counts && <DiffCounts {...counts} />}
      <DiffActionsHost tab={tab} diffEditor={diffEditor} addedEditor={addedEditor} position={position} />
      {diffEditor && (
        <HunkNavigation
          total={hunks.length}
          index={current}
          none="No differences"
          onStep={(step) => stepHunk(diffEditor, position, step)}
        />
      )}
      {diffEditor && (
        <IconButton
          className="diff-layout"
          icon={sideBySide ? 'list-flat' : 'split-horizontal'}
          label={sideBySide ? 'Show inline' : 'Show side by side'}
          onClick={() => runCommand('view.toggleDiffSideBySide')}
        />
      )}
      {tab.modified === null && (
        <IconButton icon="go-to-file" label="Open file" onClick={() => attempt(() => openFile(tab.path))} />
      )}
    </div>
  )
}

function countsOf(hunks: readonly LineHunk[]): { added: number; removed: number } {
  return {
    added: hunks.reduce((sum, { modified }) => sum + modified.count, 0),
    removed: hunks.reduce((sum, { original }) => sum + original.count, 0),
  }
}
