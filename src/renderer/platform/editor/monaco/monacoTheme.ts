import type { editor } from 'monaco-editor'
import type { BaseTheme } from '../../../../shared/editor/colorTheme.ts'

/** Converts a CSS color to `#rrggbb` or `#rrggbbaa`, which Monaco requires. Minified style sheets contain `#rgb`. */
export function toHexColor(value: string): string {
  if (/^#[0-9a-f]{3,4}$/i.test(value)) return value.replaceAll(/[0-9a-f]/gi, '$&$&')
  const match = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:\s*[/,]\s*([\d.]+)(%?))?\s*\)$/.exec(value)
  if (!match) return value
  const [, red, green, blue, alpha, percent] = match
  const opacity = alpha === undefined ? 1 : Number(alpha) / (percent ? 100 : 1)
  const bytes = [Number(red), Number(green), Number(blue), Math.round(opacity * 255)]
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Scope, token (`--color-syntax-…`) and font style of the syntax highlighting rules. */
const syntaxRules: readonly (readonly [scope: string, token: string, fontStyle?: string])[] = [
  ['', 'variable'],
  ['keyword', 'keyword'],
  ['keyword.json', 'constant'],
  ['storage', 'keyword'],
  ['string', 'string'],
  ['string.key.json', 'function'],
  ['string.value.json', 'string'],
  ['regexp', 'number'],
  ['number', 'number'],
  ['constant', 'constant'],
  ['comment', 'comment', 'italic'],
  ['type', 'type'],
  ['type.identifier', 'type'],
  ['namespace', 'type'],
  ['class', 'type'],
  ['function', 'function'],
  ['identifier', 'variable'],
  ['delimiter', 'variable'],
  ['tag', 'tag'],
  ['metatag', 'tag'],
  ['attribute.name', 'attribute'],
  ['attribute.value', 'string'],
  ['variable', 'variable'],
  ['variable.predefined', 'constant'],
  ['annotation', 'attribute'],
  // Types of semantic tokens (shared/language/languageServers.ts) that the rules above do not cover.
  ['enum', 'type'],
  ['interface', 'type'],
  ['struct', 'type'],
  ['typeParameter', 'type'],
  ['enumMember', 'constant'],
  ['method', 'function'],
  ['macro', 'function'],
  ['modifier', 'keyword'],
  ['decorator', 'attribute'],
  ['keyword.md', 'function'],
  ['strong', 'constant', 'bold'],
  ['emphasis', 'string', 'italic'],
]

/** Tokens (`--color-…`) of Monaco's theme colors. */
const themeColors: Readonly<Record<string, string>> = {
  'editor.background': 'editor',
  'editor.foreground': 'text',
  'editorGutter.background': 'editor',
  'editorLineNumber.foreground': 'text-faint',
  // Line number of an empty last line.
  'editorLineNumber.dimmedForeground': 'text-faint',
  'editorLineNumber.activeForeground': 'text',
  'editorCursor.foreground': 'accent',
  'editor.lineHighlightBackground': 'hover',
  'editor.wordHighlightBackground': 'active',
  'editor.wordHighlightStrongBackground': 'selected',
  'editor.rangeHighlightBackground': 'hover',
  'editor.findMatchHighlightBackground': 'match',
  'editorIndentGuide.background1': 'border',
  'editorIndentGuide.activeBackground1': 'border-strong',
  'editorBracketMatch.background': 'active',
  'editorBracketMatch.border': 'border-strong',
  'widget.border': 'border-strong',
  'editorWidget.foreground': 'text',
  'editorWidget.background': 'overlay',
  'editorWidget.border': 'border-strong',
  'editorHoverWidget.background': 'overlay',
  'editorHoverWidget.border': 'border-strong',
  'editorSuggestWidget.background': 'overlay',
  'editorSuggestWidget.border': 'border-strong',
  'editorSuggestWidget.selectedBackground': 'selected',
  'editorSuggestWidget.highlightForeground': 'accent',
  'editorSuggestWidget.selectedForeground': 'text-strong',
  'list.hoverBackground': 'hover',
  'list.focusBackground': 'selected',
  'list.activeSelectionBackground': 'selected',
  'list.activeSelectionForeground': 'text-strong',
  'inlineEdit.gutterIndicator.primaryBackground': 'accent-strong',
  'inlineEdit.gutterIndicator.primaryBorder': 'accent-strong',
  'inlineEdit.gutterIndicator.primaryForeground': 'on-accent',
  'inlineEdit.gutterIndicator.successfulBackground': 'accent-strong',
  'inlineEdit.gutterIndicator.successfulBorder': 'accent-strong',
  'inlineEdit.gutterIndicator.successfulForeground': 'on-accent',
  'input.background': 'input',
  'input.border': 'border-strong',
  'inputOption.activeBackground': 'selected',
  'inputOption.activeBorder': 'accent',
  'editorBracketHighlight.foreground1': 'syntax-attribute',
  'editorBracketHighlight.foreground2': 'syntax-keyword',
  'editorBracketHighlight.foreground3': 'syntax-function',
  'editorBracketHighlight.unexpectedBracket.foreground': 'danger',
  'editorRuler.foreground': 'border',
  'editorInlayHint.foreground': 'text-muted',
  'editorInlayHint.parameterForeground': 'text-muted',
  'editorInlayHint.typeForeground': 'text-muted',
  'editorInlayHint.background': 'hover',
  'editorInlayHint.parameterBackground': 'hover',
  'editorInlayHint.typeBackground': 'hover',
  'menu.background': 'overlay',
  'menu.foreground': 'text',
  'menu.selectionBackground': 'active',
  'menu.selectionForeground': 'text-strong',
  'menu.separatorBackground': 'border',
  'menu.border': 'border-strong',
  focusBorder: 'focus',
  'scrollbarSlider.background': 'scrollbar',
  'scrollbarSlider.hoverBackground': 'scrollbar-hover',
  'scrollbarSlider.activeBackground': 'scrollbar-hover',
  'minimap.background': 'editor',
  'editorStickyScroll.background': 'editor',
  'editorStickyScroll.border': 'border',
  'editorStickyScrollHover.background': 'raised',
  'editorLink.activeForeground': 'accent',
  'peekView.border': 'accent',
  'peekViewTitle.background': 'surface',
  'peekViewTitleLabel.foreground': 'text-strong',
  'peekViewTitleDescription.foreground': 'text-muted',
  'peekViewEditor.background': 'base',
  'peekViewEditorGutter.background': 'base',
  'peekViewEditorStickyScroll.background': 'base',
  'peekViewEditor.matchHighlightBackground': 'match',
  'peekViewResult.background': 'surface',
  'peekViewResult.fileForeground': 'text',
  'peekViewResult.lineForeground': 'text-muted',
  'peekViewResult.matchHighlightBackground': 'match',
  'peekViewResult.selectionBackground': 'selected',
  'peekViewResult.selectionForeground': 'text-strong',
  foreground: 'text',
  'icon.foreground': 'text-muted',
  'quickInput.background': 'overlay',
  'quickInput.foreground': 'text',
  'quickInputList.focusBackground': 'selected',
  'quickInputList.focusForeground': 'text-strong',
  'list.highlightForeground': 'accent',
  'list.focusHighlightForeground': 'accent',
  'pickerGroup.foreground': 'text-muted',
  'pickerGroup.border': 'border',
  'keybindingLabel.background': 'active',
  'keybindingLabel.foreground': 'text',
  'keybindingLabel.border': 'border-strong',
  'keybindingLabel.bottomBorder': 'border-strong',
  'badge.background': 'active',
  'badge.foreground': 'text',
  // Like changed parts of a line in ui/diff/diff.css: drawn over the line's color, with enough contrast for all syntax
  // colors.
  'diffEditor.insertedTextBackground': 'added-soft',
  'diffEditor.removedTextBackground': 'removed-soft',
  'diffEditor.insertedLineBackground': 'added-soft',
  'diffEditor.removedLineBackground': 'removed-soft',
  'diffEditorOverview.insertedForeground': 'added',
  'diffEditorOverview.removedForeground': 'removed',
  'diffEditor.diagonalFill': 'border',
  'diffEditor.border': 'border',
  'editorGutter.addedBackground': 'git-added',
  'editorGutter.modifiedBackground': 'git-gutter-changed',
  'editorGutter.deletedBackground': 'git-deleted',
}

/** Theme colors whose opacity differs from their token's, as two hexadecimal digits. */
const translucentColors: Readonly<Record<string, readonly [token: string, opacity: string]>> = {
  'editor.selectionBackground': ['accent', '47'],
  'editor.inactiveSelectionBackground': ['accent', '28'],
  'editor.findMatchBackground': ['brand', '80'],
}

const transparentColors = [
  'editor.lineHighlightBorder',
  'widget.shadow',
  'editorOverviewRuler.border',
  'scrollbar.shadow',
] as const

const monacoBases = { dark: 'vs-dark', light: 'vs', 'hc-dark': 'hc-black', 'hc-light': 'hc-light' } as const

/**
 * Builds Monaco's theme from the design tokens (tokens.css).
 * @param own colors of an imported theme, by Monaco's names
 */
export function monacoTheme(theme: BaseTheme, own: Readonly<Record<string, string>> = {}): editor.IStandaloneThemeData {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string) => toHexColor(styles.getPropertyValue(`--color-${name}`).trim())
  const opaque = (name: string) => token(name).slice(0, 7)
  return {
    base: monacoBases[theme],
    inherit: true,
    rules: syntaxRules.map(([scope, name, fontStyle]) => ({
      token: scope,
      foreground: opaque(`syntax-${name}`).slice(1),
      ...(fontStyle ? { fontStyle } : {}),
    })),
    colors: {
      ...Object.fromEntries(Object.entries(themeColors).map(([color, name]) => [color, token(name)])),
      ...Object.fromEntries(
        Object.entries(translucentColors).map(([color, [name, opacity]]) => [color, `${opaque(name)}${opacity}`]),
      ),
      ...Object.fromEntries(transparentColors.map((color) => [color, '#00000000'])),
      // Monaco's own color is for the opaque selection of its high contrast themes.
      ...(theme.startsWith('hc') && !('editor.selectionBackground' in own)
        ? { 'editor.selectionForeground': token('text-strong') }
        : {}),
      ...own,
    },
  }
}
