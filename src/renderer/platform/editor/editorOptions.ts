import type { editor } from 'monaco-editor'
import type { Settings } from '../../../shared/settings/settings.ts'

/** Minimum editor width in pixels for the minimap. */
const minMinimapWidth = 360

const defaultFonts = "'JetBrains Mono Variable', ui-monospace, monospace"

/** Returns the editor's CSS font list: the user's fonts, followed by the defaults. */
export function editorFonts(fontFamily: string): string {
  // Other characters would end the value in a style sheet.
  const own = fontFamily.replaceAll(/[;{}]/g, '').trim()
  return own === '' ? defaultFonts : `${own}, ${defaultFonts}`
}

const guides = { off: false, active: 'active', on: true } as const

/** Builds Monaco's options from the settings. @param width editor width in pixels */
export function editorOptions(
  settings: Settings['editor'],
  width = Number.POSITIVE_INFINITY,
): editor.IEditorOptions & editor.IGlobalEditorOptions {
  const { fontSize, fontFamily, fontLigatures, wordWrap, minimap, rulers, stickyScroll, mouseWheelZoom, inlayHints } =
    settings
  return {
    formatOnPaste: settings.formatOnPaste,
    fontFamily: editorFonts(fontFamily),
    fontSize,
    // Monaco takes smaller numbers for factors.
    lineHeight: settings.lineHeight >= 8 ? settings.lineHeight : Math.round(fontSize * 1.6),
    letterSpacing: settings.letterSpacing,
    lineNumbers: settings.lineNumbers,
    renderWhitespace: settings.renderWhitespace,
    cursorStyle: settings.cursorStyle,
    cursorBlinking: settings.cursorBlinking,
    smoothScrolling: settings.smoothScrolling,
    autoClosingBrackets: settings.autoClosingBrackets,
    acceptSuggestionOnEnter: settings.acceptSuggestionOnEnter,
    linkedEditing: settings.linkedEditing,
    autoClosingQuotes: settings.autoClosingQuotes,
    cursorSurroundingLines: settings.cursorSurroundingLines,
    cursorSmoothCaretAnimation: settings.cursorSmoothCaretAnimation,
    fontWeight: settings.fontWeight,
    multiCursorModifier: settings.multiCursorModifier,
    suggestSelection: settings.suggestSelection,
    tabCompletion: settings.tabCompletion,
    fontLigatures,
    rulers,
    mouseWheelZoom,
    stickyScroll: { enabled: stickyScroll },
    inlayHints: { enabled: inlayHints ? 'on' : 'off' },
    // Colors from language servers. By default, Monaco asks its theme, which cannot turn them on.
    'semanticHighlighting.enabled': true,
    wordWrap: wordWrap ? (settings.wordWrapColumn > 0 ? 'bounded' : 'on') : 'off',
    wordWrapColumn: settings.wordWrapColumn || 80,
    minimap: { enabled: minimap && width >= minMinimapWidth, renderCharacters: false, scale: 1 },
    automaticLayout: true,
    // In a shadow root, menus would not get our font and color variables.
    useShadowDOM: false,
    // Hovers and suggestions can extend beyond the editor without being clipped by its panel.
    fixedOverflowWidgets: true,
    padding: { top: settings.paddingTop, bottom: 8 },
    renderLineHighlight: settings.renderLineHighlight,
    renderLineHighlightOnlyWhenFocus: true,
    scrollBeyondLastLine: settings.scrollBeyondLastLine,
    guides: { indentation: true, bracketPairs: guides[settings.bracketPairGuides] },
    lineNumbersMinChars: lineNumberWidth(0),
    glyphMargin: true,
    overviewRulerBorder: false,
    hideCursorInOverviewRuler: true,
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
    accessibilitySupport: 'auto',
    // welcome/drop.ts opens dropped files. Monaco would insert their paths as text.
    dropIntoEditor: { enabled: false },
  }
}

/** Returns the width of the line numbers in characters, including at least one space before them. */
export function lineNumberWidth(lineCount: number): number {
  return Math.max(4, String(lineCount).length + 1)
}

/** Model options for bracket pair colors, which Monaco stores per text. */
export function bracketColors(enabled: boolean): editor.ITextModelUpdateOptions {
  return { bracketColorizationOptions: { enabled, independentColorPoolPerBracketType: false } }
}

/** Text length in UTF-16 units above which Monaco's TypeScript needs tens of milliseconds for suggestions. */
const longTextLength = 100_000

/**
 * Milliseconds without typing before suggestions appear. In a long text, the delay exceeds the time between two
 * keystrokes, so that suggestions are not computed for each.
 */
export function suggestionDelay(textLength: number): number {
  return textLength < longTextLength ? 10 : 150
}

/** Text length in UTF-16 units above which Monaco keeps no bracket tree. */
const maxBracketTree = 5_000_000

/**
 * Which brackets to highlight. Without a tree, Monaco searches the text around the cursor for enclosing brackets after
 * each keystroke, which takes up to 20 milliseconds.
 */
export function matchBrackets(textLength: number): 'near' | 'always' {
  return textLength > maxBracketTree ? 'near' : 'always'
}

/** Options for files above a limit of textBuffer.ts. Turns off features that read the whole text. */
export const largeFileOptions = {
  folding: false,
  links: false,
  colorDecorators: false,
  occurrencesHighlight: 'off',
  stickyScroll: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false },
  // Suggestions copy the whole text to a worker.
  quickSuggestions: false,
  minimap: { showMarkSectionHeaders: false, showRegionSectionHeaders: false },
} satisfies editor.IEditorOptions

/** As in VS Code, JSON has suggestions in its strings, which are its names and values. */
export const jsonSuggestions = { other: true, comments: false, strings: true } as const

/** Counterpart of `largeFileOptions` for other files. @param language Monaco's id */
export function normalFileOptions(
  { folding, ambiguousCharacters, quickSuggestions }: Settings['editor'],
  language?: string,
) {
  const inText = quickSuggestions === 'everywhere'
  const strings = inText || language === 'json'
  return {
    folding,
    links: true,
    colorDecorators: true,
    occurrencesHighlight: 'singleFile',
    unicodeHighlight: { ambiguousCharacters, invisibleCharacters: true },
    quickSuggestions: quickSuggestions !== 'off' && { other: true, comments: inText, strings },
    minimap: { showMarkSectionHeaders: true, showRegionSectionHeaders: true },
  } satisfies editor.IEditorOptions
}
