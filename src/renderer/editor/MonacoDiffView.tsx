import { useEffect, useRef } from 'react'
import type { Settings } from '../../shared/settings.ts'
import { editorOptions } from './editorOptions.ts'
import { monaco, uriOf } from '../platform/editor/monaco.ts'
import type { DiffTab } from '../platform/editor/tabsStore.ts'

/** A diff of two texts, side by side or inline in a narrow editor. The modified side can be the live text of an open file. */
export default function DiffView({ tab, settings }: { tab: DiffTab; settings: Settings['editor'] }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const language = monaco.editor.getModel(uriOf(tab.path))?.getLanguageId()
    // Without an open file, Monaco derives the language from the extension in the URI.
    const side = (text: string, which: string) =>
      monaco.editor.createModel(
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
    const original = side(tab.original, 'original')
    const live = tab.modified === null ? monaco.editor.getModel(uriOf(tab.path)) : null
    const modified = live ?? side(tab.modified ?? '', 'modified')
    const readOnly = live === null
    const whole = tab.original === '' ? 'insert' : tab.modified === '' ? 'delete' : null
    const editor =
      whole !== null && original.getValue() !== modified.getValue()
        ? showSingleSide(host.current, whole === 'insert' ? modified : original, whole, {
            readOnly,
            settings,
            path: tab.path,
          })
        : showBothSides(host.current, { original, modified }, { readOnly, settings, path: tab.path })
    return () => {
      editor.dispose()
      original.dispose()
      if (!live) modified.dispose()
    }
  }, [tab, settings])
  return <div ref={host} className="editor-monaco monaco-component" />
}

interface DiffViewOptions {
  readOnly: boolean
  settings: Settings['editor']
  path: string
}

function showBothSides(
  host: HTMLElement,
  sides: monaco.editor.IDiffEditorModel,
  { readOnly, settings, path }: DiffViewOptions,
): monaco.IDisposable {
  const editor = monaco.editor.createDiffEditor(host, {
    ...editorOptions(settings),
    minimap: { enabled: false },
    readOnly,
    originalEditable: false,
    renderSideBySide: true,
    useInlineViewWhenSpaceIsLimited: true,
    renderOverviewRuler: false,
    hideUnchangedRegions: { enabled: true },
    diffAlgorithm: 'advanced',
  })
  keepName(editor.getOriginalEditor(), `${path}, before`)
  keepName(editor.getModifiedEditor(), `${path}, after`)
  editor.setModel(sides)
  return editor
}

/**
 * Shows an added or deleted file as one text with every line marked. Monaco's diff editor would show the missing side as one
 * empty line, which looks like a change of that line.
 */
function showSingleSide(
  host: HTMLElement,
  model: monaco.editor.ITextModel,
  change: 'insert' | 'delete',
  { readOnly, settings, path }: DiffViewOptions,
): monaco.IDisposable {
  const editor = monaco.editor.create(host, {
    ...editorOptions(settings),
    minimap: { enabled: false },
    readOnly,
    model,
    ariaLabel: `${path}, ${change === 'insert' ? 'all lines added' : 'all lines removed'}`,
  })
  const decorations = editor.createDecorationsCollection()
  const markLines = () => {
    // Skip the empty line that Monaco shows after the last line break.
    const last = model.getLineCount()
    const end = last > 1 && model.getLineLength(last) === 0 ? last - 1 : last
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
  return {
    dispose() {
      subscription.dispose()
      editor.dispose()
    },
  }
}

/** Sets the accessible name of one side. Sets it again on layout changes, when Monaco's diff editor clears its own options. */
function keepName(side: monaco.editor.ICodeEditor, ariaLabel: string): void {
  const set = () => {
    if (side.getRawOptions().ariaLabel !== ariaLabel) side.updateOptions({ ariaLabel })
  }
  side.onDidChangeConfiguration(set)
  set()
}
