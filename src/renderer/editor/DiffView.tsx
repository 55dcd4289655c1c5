import { useEffect, useRef } from 'react'
import type { Settings } from '../../shared/settings.ts'
import { editorOptions } from './editorOptions.ts'
import { monaco, uriOf } from './monaco.ts'
import type { DiffTab } from './store.ts'

/** Two texts side by side (below each other where it is narrow). The right one is live when it is an open file's. */
export default function DiffView({ tab, settings }: { tab: DiffTab; settings: Settings['editor'] }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const language = monaco.editor.getModel(uriOf(tab.path))?.getLanguageId()
    // Without an open file of that name the language is found through a model with the same ending.
    const side = (text: string, which: string) =>
      monaco.editor.createModel(
        text,
        language,
        language
          ? undefined
          : monaco.Uri.from({ scheme: 'diff', authority: tab.id.replaceAll(/[^a-z0-9]/gi, ''), path: `/${which}/${tab.path}` }),
      )
    const original = side(tab.original, 'original')
    const live = tab.modified === null ? monaco.editor.getModel(uriOf(tab.path)) : null
    const modified = live ?? side(tab.modified ?? '', 'modified')
    const editor = monaco.editor.createDiffEditor(host.current, {
      ...editorOptions(settings),
      minimap: { enabled: false },
      readOnly: live === null,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: true,
      renderOverviewRuler: false,
      hideUnchangedRegions: { enabled: true },
      diffAlgorithm: 'advanced',
    })
    keepName(editor.getOriginalEditor(), `${tab.path}, before`)
    keepName(editor.getModifiedEditor(), `${tab.path}, after`)
    editor.setModel({ original, modified })
    return () => {
      editor.dispose()
      original.dispose()
      if (!live) modified.dispose()
    }
  }, [tab, settings])
  return <div ref={host} className="editor-monaco monaco-component" />
}

/** Sets the accessible name of one side. Monaco's diff editor has options for it, but clears them whenever its layout changes. */
function keepName(side: monaco.editor.ICodeEditor, ariaLabel: string): void {
  const set = () => {
    if (side.getRawOptions().ariaLabel !== ariaLabel) side.updateOptions({ ariaLabel })
  }
  side.onDidChangeConfiguration(set)
  set()
}
