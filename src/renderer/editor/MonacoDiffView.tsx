import { useEffect, useRef } from 'react'
import type { Settings } from '../../shared/settings.ts'
import { editorOptions } from './editorOptions.ts'
import { monaco, uriOf } from '../platform/editor/monaco.ts'
import type { DiffTab } from '../platform/editor/tabsStore.ts'

/**
 * Two texts side by side, or one above the other in a narrow editor. The right text can be the live text of an open
 * file.
 */
export default function DiffView({ tab, settings }: { tab: DiffTab; settings: Settings['editor'] }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const language = monaco.editor.getModel(uriOf(tab.path))?.getLanguageId()
    // If the file is not open, Monaco finds the language by the file extension of the model.
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
 * A text that is new or gone as a whole. Monaco's diff editor has no empty side: it shows one as a text of one empty line, which
 * looks like a line that was removed or added.
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
  const marks = editor.createDecorationsCollection()
  const mark = () => {
    // What follows the last line break is no line of the file.
    const last = model.getLineCount()
    const end = last > 1 && model.getLineLength(last) === 0 ? last - 1 : last
    const options = {
      isWholeLine: true,
      className: `line-${change}`,
      marginClassName: `gutter-${change}`,
      linesDecorationsClassName: `${change}-sign codicon codicon-diff-${change === 'insert' ? 'insert' : 'remove'}`,
    }
    marks.set([{ range: new monaco.Range(1, 1, end, model.getLineMaxColumn(end)), options }])
  }
  mark()
  const following = model.onDidChangeContent(mark)
  return {
    dispose() {
      following.dispose()
      editor.dispose()
    },
  }
}

/** Sets the accessible name of one side. Monaco's diff editor has options for it, but clears them whenever its layout changes. */
function keepName(side: monaco.editor.ICodeEditor, ariaLabel: string): void {
  const set = () => {
    if (side.getRawOptions().ariaLabel !== ariaLabel) side.updateOptions({ ariaLabel })
  }
  side.onDidChangeConfiguration(set)
  set()
}
