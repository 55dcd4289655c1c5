import type { editor } from 'monaco-editor'
import type { Settings } from '../../shared/settings.ts'

/** Minimum editor width in pixels for the minimap. */
const minMinimapWidth = 360

/** Builds Monaco's options from the settings. @param width width of the editor in pixels */
export function editorOptions(
  { fontSize, wordWrap, minimap }: Settings['editor'],
  width = Number.POSITIVE_INFINITY,
): editor.IEditorOptions & editor.IGlobalEditorOptions {
  return {
    fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
    fontSize,
    lineHeight: Math.round(fontSize * 1.6),
    fontLigatures: false,
    wordWrap: wordWrap ? 'on' : 'off',
    minimap: { enabled: minimap && width >= minMinimapWidth, renderCharacters: false, scale: 1 },
    automaticLayout: true,
    // A shadow root would reset the font and variables of menus.
    useShadowDOM: false,
    // Hovers and suggestions can extend beyond the editor. The side panels must not clip them.
    fixedOverflowWidgets: true,
    padding: { top: 8, bottom: 8 },
    renderLineHighlight: 'all',
    renderLineHighlightOnlyWhenFocus: true,
    scrollBeyondLastLine: false,
    bracketPairColorization: { enabled: false },
    guides: { indentation: true, bracketPairs: false },
    lineNumbersMinChars: 4,
    overviewRulerBorder: false,
    hideCursorInOverviewRuler: true,
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
    accessibilitySupport: 'auto',
    // welcome/drop.ts opens dropped files. Monaco would insert their path.
    dropIntoEditor: { enabled: false },
  }
}

/** UTF-16 units from which Monaco's TypeScript takes tens of milliseconds of a processor for each list of suggestions. */
const longTextLength = 100_000

/**
 * Milliseconds without a key before suggestions come by themselves. In a long text the wait is longer than a typist's between two
 * keys: a list for each key would keep a processor busy that the next key needs.
 */
export function suggestionDelay(textLength: number): number {
  return textLength < longTextLength ? 10 : 150
}

/** Options for files above a limit of textBuffer.ts: features that read the whole text are off. */
export const largeFileOptions = {
  folding: false,
  links: false,
  colorDecorators: false,
  occurrencesHighlight: 'off',
  stickyScroll: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false },
  // These copy the whole text to a worker.
  quickSuggestions: false,
  minimap: { showMarkSectionHeaders: false, showRegionSectionHeaders: false },
} satisfies editor.IEditorOptions

/** The same options for other files. */
export const normalFileOptions = {
  folding: true,
  links: true,
  colorDecorators: true,
  occurrencesHighlight: 'singleFile',
  stickyScroll: { enabled: true },
  unicodeHighlight: { ambiguousCharacters: true, invisibleCharacters: true },
  quickSuggestions: { other: true, comments: false, strings: false },
  minimap: { showMarkSectionHeaders: true, showRegionSectionHeaders: true },
} satisfies editor.IEditorOptions
