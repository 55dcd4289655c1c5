import type { editor } from 'monaco-editor'
import type { Settings } from '../../shared/settings.ts'

/** A narrower editor needs the room of the minimap for its text, in pixels. */
const minimapFrom = 360

/** Monaco's options out of the user's settings. @param width of the editor, in pixels */
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
    minimap: { enabled: minimap && width >= minimapFrom, renderCharacters: false, scale: 1 },
    automaticLayout: true,
    // Menus take the page's font and variables, which a shadow root resets.
    useShadowDOM: false,
    // Hovers and suggestions may leave the editor's box; the side panels must not cut them.
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
    // A dropped file is opened (welcome/drop.ts) instead of its path being inserted.
    dropIntoEditor: { enabled: false },
  }
}

/** UTF-16 units from which Monaco's TypeScript takes tens of milliseconds of a processor for each list of suggestions. */
const longText = 100_000

/**
 * Milliseconds without a key before suggestions come by themselves. In a long text the wait is longer than a typist's between two
 * keys: a list for each key would keep a processor busy that the next key needs.
 */
export function suggestionDelay(textLength: number): number {
  return textLength < longText ? 10 : 150
}

/** What reads the whole text again and again is off in a file over a limit of buffer.ts. */
export const largeFileOptions = {
  folding: false,
  links: false,
  colorDecorators: false,
  occurrencesHighlight: 'off',
  stickyScroll: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false },
  // Both copy the whole text to a worker.
  quickSuggestions: false,
  minimap: { showMarkSectionHeaders: false, showRegionSectionHeaders: false },
} satisfies editor.IEditorOptions

/** The same options as they are in other files. */
export const fullOptions = {
  folding: true,
  links: true,
  colorDecorators: true,
  occurrencesHighlight: 'singleFile',
  stickyScroll: { enabled: true },
  unicodeHighlight: { ambiguousCharacters: true, invisibleCharacters: true },
  quickSuggestions: { other: true, comments: false, strings: false },
  minimap: { showMarkSectionHeaders: true, showRegionSectionHeaders: true },
} satisfies editor.IEditorOptions
