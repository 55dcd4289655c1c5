import { vsCodeLanguage } from '../../../../shared/settings/languageBlocks.ts'
import type { Settings } from '../../../../shared/settings/settings.ts'
import { editorSettings } from '../editorSettings.ts'
import { documents } from './windowDocuments.ts'

/** VS Code's id of the language of an open file; undefined while it loads. */
export function documentLanguage(path: string): string | undefined {
  const language = documents.buffer(path)?.language()
  return language === undefined ? undefined : vsCodeLanguage(language, path)
}

/** The editor settings for the language of an open file; undefined until main has responded. */
export function documentSettings(path: string): Settings['editor'] | undefined {
  return editorSettings(documentLanguage(path))
}
