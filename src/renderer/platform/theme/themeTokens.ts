import { isDark, scopeColor, type ColorTheme } from '../../../shared/editor/colorTheme.ts'

/**
 * Design tokens (`--color-…`, ui/tokens.css) and the VS Code colors that replace them. The first color present wins.
 */
const workbenchColors: Readonly<Record<string, readonly string[]>> = {
  base: ['titleBar.activeBackground', 'activityBar.background', 'sideBar.background'],
  surface: ['sideBar.background', 'editorGroupHeader.tabsBackground'],
  editor: ['editor.background'],
  raised: ['editorWidget.background', 'sideBar.background'],
  overlay: ['menu.background', 'editorWidget.background', 'dropdown.background'],
  input: ['input.background', 'dropdown.background'],
  border: ['panel.border', 'sideBar.border', 'editorGroup.border', 'contrastBorder'],
  'border-strong': ['input.border', 'dropdown.border', 'widget.border', 'contrastBorder'],
  text: ['foreground', 'editor.foreground', 'sideBar.foreground'],
  'text-strong': ['tab.activeForeground', 'list.activeSelectionForeground', 'foreground'],
  'text-muted': ['descriptionForeground', 'sideBar.foreground', 'tab.inactiveForeground'],
  'text-faint': ['editorLineNumber.foreground', 'descriptionForeground'],
  hover: ['list.hoverBackground'],
  active: ['toolbar.hoverBackground', 'list.inactiveSelectionBackground'],
  selected: ['list.activeSelectionBackground'],
  accent: ['textLink.foreground', 'tab.activeBorderTop', 'focusBorder'],
  'accent-strong': ['button.background'],
  'accent-hover': ['button.hoverBackground', 'button.background'],
  'on-accent': ['button.foreground'],
  focus: ['focusBorder'],
  danger: ['errorForeground', 'editorError.foreground'],
  warning: ['editorWarning.foreground', 'list.warningForeground'],
  info: ['editorInfo.foreground', 'textLink.foreground'],
  'git-added': ['gitDecoration.addedResourceForeground', 'gitDecoration.untrackedResourceForeground'],
  'git-modified': ['gitDecoration.modifiedResourceForeground'],
  'git-deleted': ['gitDecoration.deletedResourceForeground'],
  'git-conflict': ['gitDecoration.conflictingResourceForeground'],
  match: ['editor.findMatchHighlightBackground'],
}

/** Design tokens of the syntax colors and the TextMate scopes that determine them. The first scope present wins. */
const syntaxScopes: Readonly<Record<string, readonly string[]>> = {
  keyword: ['keyword.control', 'keyword', 'storage.type'],
  string: ['string.quoted', 'string'],
  number: ['constant.numeric', 'constant'],
  comment: ['comment.line', 'comment'],
  type: ['entity.name.type.class', 'support.type', 'support.class'],
  function: ['entity.name.function', 'support.function'],
  variable: ['variable.other.readwrite', 'variable'],
  constant: ['constant.language', 'constant'],
  tag: ['entity.name.tag', 'keyword'],
  attribute: ['entity.other.attribute-name', 'variable'],
}

/** Pure: the design tokens that a theme replaces. Other tokens keep the value of the base theme. */
export function themeTokens(theme: ColorTheme): Record<string, string> {
  const first = (names: readonly string[], colorOf: (name: string) => string | undefined): string | undefined =>
    names.map(colorOf).find((color) => color !== undefined)
  const entries = [
    ...Object.entries(workbenchColors).map(([token, names]) => [token, first(names, (name) => theme.colors[name])]),
    ...Object.entries(syntaxScopes).map(([token, scopes]) => [
      `syntax-${token}`,
      first(scopes, (scope) => scopeColor(theme, scope)) ?? theme.colors['editor.foreground'],
    ]),
  ] as const
  const tokens = Object.fromEntries(
    entries.flatMap(([token, color]) => (color === undefined ? [] : [[`--color-${token}`, color]])),
  )
  const button = tokens['--color-accent-strong']
  // A theme may color buttons without coloring their text.
  if (button !== undefined && tokens['--color-on-accent'] === undefined)
    tokens['--color-on-accent'] = isDark(button) ? '#ffffff' : '#000000'
  return tokens
}
