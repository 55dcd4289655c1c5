import { mergeLanguageBlocks } from '../../../shared/settings/languageBlocks.ts'
import { settingsDocumentSchema, type Settings } from '../../../shared/settings/settings.ts'

/** Sections of the settings whose settings are imported. */
type Section = 'editor' | 'emmet' | 'files' | 'localHistory' | 'search' | 'terminal'

/**
 * Pure: a setting of VS Code as one of Tizona, by default in the section `editor`. `settings`: all of VS Code. `more`:
 * further settings of the section. `left`: what of the value is not used.
 */
type Conversion = (
  value: unknown,
  settings: Readonly<Record<string, unknown>>,
) => { name?: string; section?: Section; value: unknown; more?: Record<string, unknown>; left?: string[] }

/** Takes over the value. It is checked with the schema of the setting. */
const sameIn =
  <S extends Section>(section: S, name: keyof Settings[S] & string): Conversion =>
  (value) => ({ section, name, value })

const same =
  (name: keyof Settings['editor']): Conversion =>
  (value) => ({ name, value })

const flag =
  (name: keyof Settings['editor'], isOn: (value: unknown) => boolean): Conversion =>
  // Tizona's own value has the same name.
  (value) => ({ name, value: typeof value === 'boolean' ? value : isOn(value) })

/** Maximum number of characters of a name or value in the report. */
const maxShown = 100
const shown = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, maxShown)

const isText = (value: unknown): value is string => typeof value === 'string'

const conversions: Readonly<Record<string, Conversion>> = {
  'editor.fontSize': same('fontSize'),
  'editor.fontFamily': same('fontFamily'),
  'editor.fontLigatures': flag('fontLigatures', (value) => value === true || (isText(value) && value !== '')),
  'editor.lineHeight': (value, settings) => ({
    name: 'lineHeight',
    // Small numbers are factors of the font size.
    value: typeof value === 'number' && value > 0 && value < 8 ? Math.round(value * fontSizeOf(settings)) : value,
  }),
  'editor.letterSpacing': same('letterSpacing'),
  'editor.tabSize': same('tabSize'),
  'editor.insertSpaces': same('insertSpaces'),
  'editor.detectIndentation': same('detectIndentation'),
  'editor.rulers': (value) => ({
    name: 'rulers',
    value: Array.isArray(value) ? value.map((ruler: unknown) => columnOf(ruler)) : value,
  }),
  'editor.wordWrap': flag('wordWrap', (value) => value !== 'off'),
  'editor.wordWrapColumn': (value, settings) => ({
    name: 'wordWrapColumn',
    // VS Code ignores it otherwise.
    value: wrapsAtColumn(settings) ? value : 0,
  }),
  'editor.cursorSurroundingLines': same('cursorSurroundingLines'),
  'editor.guides.bracketPairs': (value) => ({
    name: 'bracketPairGuides',
    value: typeof value === 'boolean' ? (value ? 'on' : 'off') : value,
  }),
  'editor.tabCompletion': same('tabCompletion'),
  'editor.quickSuggestions': (value) => ({ name: 'quickSuggestions', value: quickSuggestionsOf(value) }),
  'editor.suggestSelection': same('suggestSelection'),
  'editor.fontWeight': (value) => ({ name: 'fontWeight', value: typeof value === 'number' ? String(value) : value }),
  'editor.cursorSmoothCaretAnimation': (value) => ({
    name: 'cursorSmoothCaretAnimation',
    value: typeof value === 'boolean' ? (value ? 'on' : 'off') : value,
  }),
  'editor.renderLineHighlight': same('renderLineHighlight'),
  'editor.multiCursorModifier': same('multiCursorModifier'),
  'editor.folding': same('folding'),
  'editor.padding.top': same('paddingTop'),
  'editor.linkedEditing': same('linkedEditing'),
  'editor.autoClosingQuotes': same('autoClosingQuotes'),
  'editor.unicodeHighlight.ambiguousCharacters': same('ambiguousCharacters'),
  'editor.codeActionsOnSave': codeActionsOnSave,
  'editor.minimap.enabled': same('minimap'),
  'editor.stickyScroll.enabled': same('stickyScroll'),
  'editor.inlayHints.enabled': flag(
    'inlayHints',
    (value) => value === 'on' || value === 'onUnlessPressed' || value === true,
  ),
  'editor.bracketPairColorization.enabled': same('bracketPairs'),
  'editor.mouseWheelZoom': same('mouseWheelZoom'),
  'editor.formatOnSave': same('formatOnSave'),
  'editor.formatOnPaste': same('formatOnPaste'),
  'editor.lineNumbers': same('lineNumbers'),
  'editor.renderWhitespace': same('renderWhitespace'),
  'editor.cursorStyle': same('cursorStyle'),
  'editor.cursorBlinking': same('cursorBlinking'),
  'editor.smoothScrolling': same('smoothScrolling'),
  'editor.scrollBeyondLastLine': same('scrollBeyondLastLine'),
  'editor.autoClosingBrackets': same('autoClosingBrackets'),
  'editor.acceptSuggestionOnEnter': same('acceptSuggestionOnEnter'),
  'files.autoSave': same('autoSave'),
  'files.autoSaveDelay': same('autoSaveDelay'),
  'files.trimTrailingWhitespace': same('trimTrailingWhitespace'),
  'files.insertFinalNewline': same('insertFinalNewline'),
  'files.trimFinalNewlines': same('trimFinalNewlines'),
  'files.eol': same('eol'),
  'files.exclude': excludedFiles('files'),
  'search.exclude': excludedFiles('search'),
  'terminal.integrated.fontSize': sameIn('terminal', 'fontSize'),
  'files.encoding': sameIn('files', 'encoding'),
  'files.associations': sameIn('files', 'associations'),
  'emmet.showExpandedAbbreviation': sameIn('emmet', 'showExpandedAbbreviation'),
  'emmet.triggerExpansionOnTab': sameIn('emmet', 'triggerExpansionOnTab'),
  'workbench.localHistory.enabled': sameIn('localHistory', 'enabled'),
  'workbench.localHistory.maxFileEntries': sameIn('localHistory', 'maxFileEntries'),
  'workbench.localHistory.maxFileSize': sameIn('localHistory', 'maxFileSize'),
  'workbench.localHistory.mergeWindow': sameIn('localHistory', 'mergeWindow'),
  'breadcrumbs.enabled': same('breadcrumbs'),
  'diffEditor.renderSideBySide': same('diffSideBySide'),
  'workbench.editor.enablePreview': same('previewTabs'),
  'workbench.editor.revealIfOpen': same('revealIfOpen'),
}

/** A glob with a condition depends on other files. */
function excludedFiles(section: 'files' | 'search'): Conversion {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { section, name: 'exclude', value }
    const left = Object.entries(value).flatMap(([glob, shows]) => (typeof shows === 'boolean' ? [] : [glob]))
    const globs = Object.fromEntries(Object.entries(value).filter(([glob]) => !left.includes(glob)))
    return { section, name: 'exclude', value: globs, left }
  }
}

const wrapsAtColumn = (settings: Readonly<Record<string, unknown>>): boolean =>
  settings['editor.wordWrap'] === 'wordWrapColumn' || settings['editor.wordWrap'] === 'bounded'

/** VS Code has a value for code, comments and strings each, and turns on all with `true`. */
function quickSuggestionsOf(value: unknown): unknown {
  const isOn = (each: unknown) => each !== false && each !== 'off'
  if (typeof value === 'boolean') return value ? 'everywhere' : 'off'
  if (typeof value !== 'object' || value === null) return value
  const { other = true, comments = false, strings = false } = value as { [kind in string]?: unknown }
  if (!isOn(other)) return 'off'
  return isOn(comments) || isOn(strings) ? 'everywhere' : 'code'
}

/** The code actions that Tizona runs before it saves, and their settings. */
const saveActions = { 'source.organizeImports': 'organizeImportsOnSave', 'source.fixAll': 'fixAllOnSave' }

/** VS Code has an object, or formerly a list, of code actions. */
function codeActionsOnSave(value: unknown): ReturnType<Conversion> {
  const wanted: Record<string, unknown> = Array.isArray(value)
    ? Object.fromEntries(value.map((kind: unknown) => [String(kind), true]))
    : typeof value === 'object' && value !== null
      ? { ...value }
      : {}
  const isOn = (kind: string) => [true, 'explicit', 'always'].includes(wanted[kind] as string | boolean)
  // Of an object only what it names, because objects of several files add up.
  const named = Object.entries(saveActions).filter(([kind]) => Array.isArray(value) || Object.hasOwn(wanted, kind))
  return {
    value,
    more: Object.fromEntries(named.map(([kind, setting]) => [setting, isOn(kind)])),
    left: Object.keys(wanted).filter((kind) => !Object.hasOwn(saveActions, kind) && isOn(kind)),
  }
}

/** VS Code's default is 14, except on macOS. */
function fontSizeOf(settings: Readonly<Record<string, unknown>>): number {
  const size = settings['editor.fontSize']
  return typeof size === 'number' ? size : 14
}

const columnOf = (ruler: unknown): unknown =>
  typeof ruler === 'object' && ruler !== null && 'column' in ruler ? ruler.column : ruler

/** VS Code's own icon themes; null: no icons. */
const builtInIcons: readonly unknown[] = ['vs-seti', 'vs-minimal', null]

/** VS Code's own themes. Others are imported with their extension. */
const themes: Readonly<Record<string, Settings['theme']>> = {
  'Default Dark Modern': 'dark',
  'Default Dark+': 'dark',
  'Visual Studio Dark': 'dark',
  'VS Code Dark': 'dark',
  'Default Light Modern': 'light',
  'Default Light+': 'light',
  'Visual Studio Light': 'light',
  'VS Code Light': 'light',
  'Default High Contrast': 'hc-dark',
  'Default High Contrast Light': 'hc-light',
}

export interface ConvertedSettings {
  /** Changed settings by section. */
  sections: { [S in Section]: Partial<Settings[S]> }
  theme?: Settings['theme']
  /** Names of imported settings, with their values. */
  imported: string[]
  /** Names of settings without a counterpart, with the reason. */
  skipped: string[]
}

/** Pure: whether a name is that of a setting of VS Code that `convertSettings` converts. */
export const isVsCodeSetting = (key: string): boolean => Object.hasOwn(conversions, key)

/** Pure: the editor settings in VS Code's settings of a folder. Leaves out what has no counterpart. */
export function folderEditorSettings(settings: Readonly<Record<string, unknown>>): Partial<Settings['editor']> {
  const own = Object.entries(settings).filter(([key]) => /^(?:editor|files)\.|^\[/.test(key))
  return convertSettings(Object.fromEntries(own)).sections.editor
}

/** Pure: the language ids in a key such as `[javascript][typescript]`; empty for other keys. */
function languagesOf(key: string): string[] {
  if (!key.startsWith('[') || !key.endsWith(']')) return []
  const ids = key.slice(1, -1).split('][')
  return ids.every((id) => id.trim() !== '' && !/[[\]]/.test(id)) ? ids.map((id) => id.trim()) : []
}

/** Pure: converts the content of VS Code's `settings.json`. Checks each value with Tizona's schema. */
export function convertSettings(given: Readonly<Record<string, unknown>>): ConvertedSettings {
  const settings = wrapsAtColumn(given) ? { 'editor.wordWrapColumn': 80, ...given } : given
  const sections = { editor: {}, emmet: {}, files: {}, localHistory: {}, search: {}, terminal: {} }
  const converted: ConvertedSettings = { sections, imported: [], skipped: [] }
  const skip: Skip = (key, reason) => {
    converted.skipped.push(`${key.slice(0, maxShown)}: ${reason}.`)
    return undefined
  }
  const entries = Object.entries(settings).map(([key, value]) => ({ key, value, languages: languagesOf(key) }))
  const plain = Object.fromEntries(
    entries.flatMap((each) => (each.languages.length === 0 ? [[each.key, each.value]] : [])),
  )
  // As in VS Code, a block for one language takes precedence over one for several.
  const order = ({ languages }: { languages: string[] }) => languages.length || Number.MAX_SAFE_INTEGER
  for (const { key, value, languages } of entries.toSorted((a, b) => order(b) - order(a))) {
    if (languages.length > 0) {
      convertLanguages({ key, languages, value }, plain, converted, skip)
    } else if (key === 'workbench.colorTheme') {
      const theme = isText(value) && Object.hasOwn(themes, value) ? themes[value] : undefined
      if (theme === undefined) skip(key, `import the extension of the theme ${shown(value)} in the settings`)
      else if (settings['window.autoDetectColorScheme'] !== true) {
        converted.theme = theme
        converted.imported.push(`${key}: ${theme}`)
      }
    } else if (key === 'workbench.iconTheme') {
      skip(
        key,
        builtInIcons.includes(value)
          ? `Tizona has its own icons instead of ${shown(value)}`
          : `import the extension of ${shown(value)}, then choose it with "File icon theme"`,
      )
    } else if (key === 'window.autoDetectColorScheme') {
      if (value !== true) continue
      converted.theme = 'system'
      converted.imported.push(`${key}: the theme follows the system`)
    } else {
      const result = convertSetting(key, value, settings, skip)
      if (!result) continue
      Object.assign(sections[result.section], result.values)
      converted.imported.push(`${key}: ${shown(result.value)}`)
    }
  }
  return converted
}

/** Reports why a setting is not used. */
type Skip = (key: string, reason: string) => undefined

/** Converts a setting. @returns undefined if it is not used, whose reason `skip` gets */
function convertSetting(
  key: string,
  value: unknown,
  settings: Readonly<Record<string, unknown>>,
  skip: Skip,
): { section: Section; values: Record<string, unknown>; value: unknown } | undefined {
  const result = Object.hasOwn(conversions, key) ? conversions[key]?.(value, settings) : undefined
  if (result === undefined) return skip(key, 'it has no counterpart')
  const { section = 'editor', name, left = [] } = result
  const values = { ...(name !== undefined && { [name]: result.value }), ...result.more }
  if (!settingsDocumentSchema().safeParse({ [section]: values }).success)
    return skip(key, `Tizona does not have the value ${shown(value)}`)
  if (left.length > 0) {
    const parts = left.map((part) => shown(part)).join(', ')
    skip(key, `Tizona does not use ${parts.slice(0, 200)}`)
  }
  if (Object.keys(values).length === 0) return undefined
  return { section, values, value: result.value }
}

/** Maximum number of languages with settings in one file. */
const maxLanguages = 200

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds the editor settings in a block such as `"[python]": {…}` to `converted`. */
function convertLanguages(
  { key, languages, value }: { key: string; languages: readonly string[]; value: unknown },
  plain: Readonly<Record<string, unknown>>,
  { sections: { editor }, imported }: ConvertedSettings,
  skip: Skip,
): void {
  if (!isRecord(value)) {
    skip(key, 'it has no settings')
    return
  }
  const known = new Set([...Object.keys(editor.languages ?? {}), ...languages])
  if (known.size > maxLanguages) {
    skip(key, `Tizona reads the settings of at most ${maxLanguages} languages`)
    return
  }
  const context = { ...plain, ...value }
  // The value for all languages may wrap elsewhere.
  const wrapped = 'editor.wordWrap' in value && { 'editor.wordWrapColumn': context['editor.wordWrapColumn'] ?? 80 }
  for (const [name, given] of Object.entries<unknown>({ ...wrapped, ...value })) {
    const shownName = `${key} ${name}`
    // Objects add to those for all languages.
    const each = isRecord(given) && isRecord(plain[name]) ? { ...plain[name], ...given } : given
    const result = convertSetting(name, each, context, (_name, reason) => skip(shownName, reason))
    if (!result) continue
    const isValid = (languages: object) => settingsDocumentSchema().safeParse({ editor: { languages } }).success
    if (result.section !== 'editor' || !isValid({ any: result.values })) {
      skip(shownName, 'Tizona has it for all languages only')
      continue
    }
    const added = Object.fromEntries(languages.map((language) => [language, result.values]))
    editor.languages = mergeLanguageBlocks(editor.languages, added)
    imported.push(`${shownName}: ${shown(result.value)}`)
  }
}
