import { isDeepStrictEqual } from 'node:util'
import { applyEdits, modify } from 'jsonc-parser'
import { z } from 'zod'
import { checkLooseJson } from '../base/looseJson.ts'
import { asSentence } from '../base/asSentence.ts'
import { ToolError } from '../../shared/errors.ts'
import {
  folderSettingsSchema,
  settingsDocumentSchema,
  settingsSchema,
  type FolderSettings,
  type LanguageBlocks,
  type Settings,
} from '../../shared/settings/settings.ts'
import { mergeLanguageBlocks } from '../../shared/settings/languageBlocks.ts'
import { settingRows } from '../../shared/settings/settingsTable.ts'
import { convertSettings, isVsCodeSetting } from './editorImport/convertSettings.ts'
import { parseJsonParts, problemText, type DroppedPart } from '../base/jsonParts.ts'

/** Nested settings, as in `settings.json`. */
type Values = Record<string, unknown>

function valueAt(values: Values, section: string | null, name: string): unknown {
  // The sections of the settings are objects. Those of a text may be null.
  return section === null ? values[name] : (values[section] as Values | null | undefined)?.[name]
}

/** Returns the settings that differ from the defaults as JSON, without those that the document cannot change. */
export function settingsDocument(settings: Settings): string {
  const defaults = settingsSchema.parse({}) as unknown as Values
  const document: Values = {}
  for (const { section, name } of settingRows) {
    const value = valueAt(settings as unknown as Values, section, name)
    if (value === undefined || JSON.stringify(value) === JSON.stringify(valueAt(defaults, section, name))) continue
    if (section === null) document[name] = value
    else document[section] = { ...(document[section] as Values | undefined), [name]: value }
  }
  const allowed = settingsDocumentSchema().safeParse(document)
  if (!allowed.success)
    for (const { path } of allowed.error.issues) {
      const [first, second] = path.map(String)
      if (first === undefined) continue
      if (second !== undefined && first in document && first !== 'endpoints' && first !== 'mcp')
        delete (document[first] as Values)[second]
      else delete document[first]
    }
  return `${JSON.stringify(document, null, 2)}\n`
}

/**
 * Applies what the user edited in a document, so that settings that changed elsewhere meanwhile keep their new values.
 * Accepts comments, trailing commas and settings of VS Code.
 * @param base the document that the user began with
 * @param stored current settings
 * @param overwrite whether the document takes precedence where the stored setting changed too
 * @returns all settings, and what of the text is not used, with the reasons
 * @throws ToolError `invalid_arguments` with the location of each mistake
 * @throws ToolError `conflict` that names the settings that the user edited and that changed elsewhere
 */
export function applySettingsDocument(
  text: string,
  base: string,
  stored: Settings,
  { overwrite = false }: { overwrite?: boolean } = {},
): { settings: Settings; unused: string[] } {
  const before = readSettingsDocument(base, stored).settings
  const { settings: edited, unused } = readSettingsDocument(text, stored, before)
  const settings = structuredClone(stored) as Settings & Values
  const conflicts: string[] = []
  for (const { section, name, path } of settingRows) {
    const at = (values: Settings) => valueAt(values as unknown as Values, section, name)
    const isSame = (one: Settings, other: Settings) => isDeepStrictEqual(at(one), at(other))
    if (isSame(edited, before)) continue
    if (!isSame(stored, before) && !isSame(stored, edited)) conflicts.push(path)
    const target = section === null ? settings : (settings[section] as Values)
    target[name] = at(edited)
  }
  if (conflicts.length > 0 && !overwrite)
    throw new ToolError(
      'conflict',
      `These settings were changed elsewhere while you edited them: ${conflicts.join(', ')}.`,
      'Compare the text with the stored settings, then overwrite them or discard your changes.',
    )
  return { settings, unused }
}

/**
 * Parses a document. Settings that are missing in it have their defaults.
 * @param before the settings that the user began with
 */
function readSettingsDocument(
  text: string,
  stored: Settings,
  before?: Settings,
): { settings: Settings; unused: string[] } {
  const { document, unused } = withoutDottedNames(parse(text), before as unknown as Values | undefined)
  const result = settingsDocumentSchema().safeParse(document)
  if (!result.success) {
    const mistakes = result.error.issues.map(({ path, message }) => `${path.join('.') || 'settings'}: ${message}`)
    throw new ToolError('invalid_arguments', mistakes.join('; '), 'Correct these settings.')
  }
  const { endpoints, mcp, web } = stored
  const settings = settingsSchema.parse({ ...result.data, endpoints, mcp })
  return { settings: { ...settings, web: { ...settings.web, hasBraveKey: web.hasBraveKey } }, unused }
}

/**
 * Pure: converts settings of VS Code, and names such as `web.enabled`, to nested settings. Where a text has both, the
 * nested one takes precedence, unless it has the value that the user began with.
 */
function withoutDottedNames(values: Values, before: Values = {}): { document: Values; unused: string[] } {
  const isDotted = (key: string) => key.includes('.') || key.startsWith('[')
  const [dotted, nested] = [true, false].map((want) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => isDotted(key) === want)),
  ) as [Values, Values]
  const own = settingRows.filter(({ path }) => Object.hasOwn(dotted, path) && !isVsCodeSetting(path))
  const names = new Set(own.map(({ path }) => path))
  const { sections, theme, skipped } = convertSettings(
    Object.fromEntries(Object.entries(dotted).filter(([key]) => !names.has(key))),
  )
  const document: Values = theme === undefined ? {} : { theme }
  const merge = (section: string, added: object) => {
    const known = document[section]
    if (Object.keys(added).length > 0) document[section] = { ...(known as Values | undefined), ...added }
  }
  for (const [section, added] of Object.entries(sections)) merge(section, added)
  for (const { section, name, path } of own) merge(section ?? '', { [name]: dotted[path] })
  const unused = [...skipped]
  const converted: (() => void)[] = []
  for (const { section, name, path } of settingRows) {
    const [value, own, known] = [document, nested, before].map((all) => valueAt(all, section, name))
    if (value === undefined || own === undefined || isDeepStrictEqual(value, own)) continue
    if (path === 'editor.languages') {
      const nestedBlocks = settingsDocumentSchema().safeParse({ editor: { languages: own } })
      // A mistake is reported with its place later.
      if (!nestedBlocks.success) continue
      const blocks = [value, own, known ?? {}] as [LanguageBlocks, LanguageBlocks, LanguageBlocks]
      const languages = withConvertedLanguages(...blocks, unused)
      converted.push(() => merge('editor', { languages }))
    } else if (!isDeepStrictEqual(own, known))
      unused.push(`${path}: the text sets it twice, and the other value differs from the stored one.`)
    else if (section === null) converted.push(() => void (document[name] = value))
    else converted.push(() => merge(section, { [name]: value }))
  }
  for (const [key, value] of Object.entries(nested))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) merge(key, value)
    else document[key] = value
  for (const apply of converted) apply()
  return { document, unused }
}

/**
 * Pure: settings of languages that were converted from VS Code's, with the nested ones. Where a text has both of a
 * setting, the nested one takes precedence, unless it has the value that the user began with.
 * @param unused gets the names of the others
 */
function withConvertedLanguages(
  converted: LanguageBlocks,
  own: LanguageBlocks,
  before: LanguageBlocks,
  unused: string[],
): LanguageBlocks {
  const valueOf = (blocks: LanguageBlocks, language: string, name: string) =>
    (blocks as Record<string, Values | undefined>)[language]?.[name]
  const languages = mergeLanguageBlocks(own, converted)
  for (const [language, block] of Object.entries(converted))
    for (const [name, value] of Object.entries(block)) {
      const nested = valueOf(own, language, name)
      if (nested === undefined || isDeepStrictEqual(value, nested)) continue
      if (isDeepStrictEqual(nested, valueOf(before, language, name))) continue
      unused.push(`[${language}] ${name}: the text sets it twice, and the other value differs from the stored one.`)
      Object.assign(languages[language] ?? {}, { [name]: nested })
    }
  return languages
}

/**
 * Parses a folder's settings. Drops invalid ones, which `problem` names; empty if there are none.
 * @throws ToolError `invalid_arguments` if the text is not JSON
 */
export function parseFolderSettings(text: string): { settings: FolderSettings; problem: string } {
  const parts = folderSettingsParts(text)
  return { settings: parts.data, problem: parts.dropped.map(problemText).join(' ') }
}

function folderSettingsParts(text: string): { data: FolderSettings; dropped: DroppedPart[] } {
  const parts = parseJsonParts(text.trim() === '' ? '{}' : text, folderSettingsSchema())
  if (parts.unreadable !== undefined) throw invalidJson(parts.unreadable)
  return { data: parts.data as FolderSettings, dropped: parts.dropped }
}

/**
 * Returns a folder's settings as text with one changed, or removed if there is no value. Keeps the others, even invalid
 * ones.
 * @throws ToolError `invalid_arguments` if the text is not JSON or the setting is invalid
 */
export function editFolderSettings(text: string, name: string, value?: unknown): string {
  const before = text.trim() === '' ? '{}' : text
  folderSettingsParts(before)
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n', insertFinalNewline: true }
  const changed = applyEdits(before, modify(before, ['editor', name], value, { formattingOptions }))
  const mistake = folderSettingsParts(changed).dropped.find(({ path, raw }) => path[1] === name && raw !== undefined)
  if (mistake) throw new ToolError('invalid_arguments', problemText(mistake), 'Correct this setting.')
  return changed.endsWith('\n') ? changed : `${changed}\n`
}

function invalidJson(reason: string): ToolError {
  return new ToolError(
    'invalid_arguments',
    `The settings are not valid JSON. ${asSentence(reason)}`,
    'Correct the text.',
  )
}

function parse(text: string): Values {
  const { value, problem } = checkLooseJson(text.replace(/^\uFEFF/, '').trim() === '' ? '{}' : text)
  if (problem) throw invalidJson(`Line ${problem.line}: ${problem.message}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidJson('They have to be an object: {…}')
  return value as Values
}

/** The JSON schemas of both documents, for completion and squiggles. */
export function settingsJsonSchemas(): { schema: object; folderSchema: object } {
  const convert = (schema: z.ZodType): object => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return {
    // Settings of VS Code, which have dots, are converted when they are saved.
    schema: { ...convert(settingsDocumentSchema()), patternProperties: { '^\\[|\\.': {} } },
    folderSchema: convert(folderSettingsSchema()),
  }
}
