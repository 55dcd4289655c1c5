import { isUntitled } from '../../shared/files/untitled.ts'
import { chosenLanguages } from '../platform/editor/documents/chosenLanguages.ts'
import type { QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { languageName } from '../platform/editor/languageName.ts'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'

/** Picker items for all of Monaco's languages, with the file's language marked as current. */
export function languageItems(path: string): QuickPickItem[] {
  const current = monaco.editor.getModel(uriOf(path))?.getLanguageId()
  return monaco.languages
    .getLanguages()
    .map((language) => ({
      id: language.id,
      label: languageName(language),
      description: language.extensions?.slice(0, 4).join(' '),
      current: language.id === current,
    }))
    .filter((item, index, all) => all.findIndex(({ id }) => id === item.id) === index)
    .toSorted((a, b) => a.label.localeCompare(b.label))
}

/** Returns the file name extension of a text's language, for example `.py`. */
export function extensionOf(path: string): string {
  const id = monaco.editor.getModel(uriOf(path))?.getLanguageId()
  return monaco.languages.getLanguages().find((language) => language.id === id)?.extensions?.[0] ?? '.txt'
}

export function setLanguage(path: string, id: string): void {
  if (isUntitled(path)) chosenLanguages.setState({ [path]: id })
  const model = monaco.editor.getModel(uriOf(path))
  if (model) monaco.editor.setModelLanguage(model, id)
}
