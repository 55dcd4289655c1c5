import type { LanguageBlocks, Settings } from './settings.ts'

/** Pure: adds the settings of several layers by language. Later layers take precedence. */
export function mergeLanguageBlocks(...layers: readonly (LanguageBlocks | undefined)[]): LanguageBlocks {
  const merged = new Map<string, LanguageBlocks[string]>()
  for (const layer of layers)
    for (const [language, block] of Object.entries(layer ?? {}))
      merged.set(language, { ...merged.get(language), ...block })
  return Object.fromEntries(merged)
}

type EditorSettings = Settings['editor']

/** Pure: layers of editor settings as one. Each setting and each setting of a language is that of the last layer with it. */
export function mergeEditorSettings(
  user: EditorSettings,
  ...layers: readonly Partial<EditorSettings>[]
): EditorSettings {
  const languages = mergeLanguageBlocks(user.languages, ...layers.map((layer) => layer.languages))
  return Object.assign({}, user, ...layers, { languages }) as EditorSettings
}

/** Pure: the editor settings for a language. As in VS Code, its settings override even a folder's for all languages. */
export function settingsForLanguage(settings: EditorSettings, language: string): EditorSettings {
  return Object.hasOwn(settings.languages, language) ? { ...settings, ...settings.languages[language] } : settings
}

/** VS Code's ids of languages that have another one in Monaco. */
const idsOfVsCode: Readonly<Record<string, string>> = { shell: 'shellscript', pug: 'jade' }
/** Files that VS Code reads as JSON with comments. */
const jsonWithComments = /\.(?:jsonc|code-workspace|code-snippets)$|(?:^|\/)(?:ts|js)config[^/]*\.json$/i

/** Pure: VS Code's id of a text's language, which has settings. @param id language of the model in Monaco */
export function vsCodeLanguage(id: string, path: string): string {
  // Monaco has no languages of their own for these files.
  if (id === 'typescript' && /\.tsx$/i.test(path)) return 'typescriptreact'
  if (id === 'javascript' && /\.jsx$/i.test(path)) return 'javascriptreact'
  if (id === 'json' && jsonWithComments.test(path)) return 'jsonc'
  return idsOfVsCode[id] ?? id
}
