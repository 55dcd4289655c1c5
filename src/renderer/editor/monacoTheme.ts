import type { editor } from 'monaco-editor'

/** A CSS colour as Monaco takes it, `#rrggbb` or `#rrggbbaa`. The style sheet may have been shortened to `#rgb`. */
export function hex(value: string): string {
  if (/^#[0-9a-f]{3,4}$/i.test(value)) return value.replaceAll(/[0-9a-f]/gi, '$&$&')
  const match = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:\s*[/,]\s*([\d.]+)(%?))?\s*\)$/.exec(value)
  if (!match) return value
  const [, red, green, blue, alpha, percent] = match
  const opacity = alpha === undefined ? 1 : Number(alpha) / (percent ? 100 : 1)
  const bytes = [Number(red), Number(green), Number(blue), Math.round(opacity * 255)]
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Monaco's theme out of the design tokens of the page (tokens.css). */
export function monacoTheme(theme: 'dark' | 'light'): editor.IStandaloneThemeData {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string) => hex(styles.getPropertyValue(`--color-${name}`).trim())
  const rule = (scope: string, name: string, fontStyle?: string): editor.ITokenThemeRule => ({
    token: scope,
    foreground: token(`syntax-${name}`).slice(1, 7),
    ...(fontStyle ? { fontStyle } : {}),
  })
  return {
    base: theme === 'dark' ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      rule('', 'variable'),
      rule('keyword', 'keyword'),
      rule('keyword.json', 'constant'),
      rule('storage', 'keyword'),
      rule('string', 'string'),
      rule('string.key.json', 'function'),
      rule('string.value.json', 'string'),
      rule('regexp', 'number'),
      rule('number', 'number'),
      rule('constant', 'constant'),
      rule('comment', 'comment', 'italic'),
      rule('type', 'type'),
      rule('type.identifier', 'type'),
      rule('namespace', 'type'),
      rule('class', 'type'),
      rule('function', 'function'),
      rule('identifier', 'variable'),
      rule('delimiter', 'variable'),
      rule('tag', 'tag'),
      rule('metatag', 'tag'),
      rule('attribute.name', 'attribute'),
      rule('attribute.value', 'string'),
      rule('variable', 'variable'),
      rule('variable.predefined', 'constant'),
      rule('annotation', 'attribute'),
      rule('keyword.md', 'function'),
      rule('strong', 'constant', 'bold'),
      rule('emphasis', 'string', 'italic'),
    ],
    colors: {
      'editor.background': token('editor'),
      'editor.foreground': token('text'),
      'editorGutter.background': token('editor'),
      'editorLineNumber.foreground': token('text-faint'),
      'editorLineNumber.activeForeground': token('text'),
      'editorCursor.foreground': token('accent'),
      'editor.lineHighlightBackground': token('hover'),
      'editor.lineHighlightBorder': '#00000000',
      'editor.selectionBackground': `${token('accent').slice(0, 7)}47`,
      'editor.inactiveSelectionBackground': `${token('accent').slice(0, 7)}28`,
      'editor.wordHighlightBackground': token('active'),
      'editor.findMatchBackground': `${token('brand').slice(0, 7)}80`,
      'editor.findMatchHighlightBackground': token('match'),
      'editorIndentGuide.background1': token('border'),
      'editorIndentGuide.activeBackground1': token('border-strong'),
      'editorBracketMatch.background': token('active'),
      'editorBracketMatch.border': token('border-strong'),
      'editorWidget.background': token('overlay'),
      'editorWidget.border': token('border-strong'),
      'editorHoverWidget.background': token('overlay'),
      'editorHoverWidget.border': token('border-strong'),
      'editorSuggestWidget.background': token('overlay'),
      'editorSuggestWidget.border': token('border-strong'),
      'editorSuggestWidget.selectedBackground': token('selected'),
      'editorSuggestWidget.highlightForeground': token('accent'),
      'editorSuggestWidget.selectedForeground': token('text-strong'),
      'list.hoverBackground': token('hover'),
      'list.focusBackground': token('selected'),
      'list.activeSelectionBackground': token('selected'),
      'list.activeSelectionForeground': token('text-strong'),
      'input.background': token('input'),
      'input.border': token('border-strong'),
      'inputOption.activeBackground': token('selected'),
      'inputOption.activeBorder': token('accent'),
      'menu.background': token('overlay'),
      'menu.foreground': token('text'),
      'menu.selectionBackground': token('active'),
      'menu.selectionForeground': token('text-strong'),
      'menu.separatorBackground': token('border'),
      'menu.border': token('border-strong'),
      focusBorder: token('focus'),
      'editorOverviewRuler.border': '#00000000',
      'scrollbarSlider.background': token('scrollbar'),
      'scrollbarSlider.hoverBackground': token('scrollbar-hover'),
      'scrollbarSlider.activeBackground': token('scrollbar-hover'),
      'scrollbar.shadow': '#00000000',
      'minimap.background': token('editor'),
      'editorStickyScroll.background': token('editor'),
      'editorStickyScroll.border': token('border'),
      'editorStickyScrollHover.background': token('raised'),
      'diffEditor.insertedTextBackground': token('added-soft'),
      'diffEditor.removedTextBackground': token('removed-soft'),
      'diffEditor.insertedLineBackground': token('added-soft'),
      'diffEditor.removedLineBackground': token('removed-soft'),
      'diffEditor.diagonalFill': token('border'),
      'diffEditor.border': token('border'),
    },
  }
}
