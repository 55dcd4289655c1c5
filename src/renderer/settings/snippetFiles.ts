import { request } from '../platform/bridge/bridge.ts'
import { languageName } from '../platform/editor/languageName.ts'
import { previewTab } from '../platform/editor/tabsState.ts'
import { showTab } from '../platform/editor/tabsStore.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'

/** Snippets for all languages. */
const sharedFile = 'snippets/global.code-snippets'

const nameOf = (file: string): string => file.slice(file.indexOf('/') + 1)

/** Pure: the initial text of a snippet file, with an example. */
export function newSnippetFile(file: string): string {
  const language = file.endsWith('.json') ? nameOf(file).slice(0, -'.json'.length) : null
  return [
    '{',
    language === null
      ? '  // Snippets for all languages, or for those that "scope" lists, such as "javascript,typescript".'
      : `  // Snippets for ${language}.`,
    '  // "Print": {',
    '  //   "prefix": "print",',
    '  //   "body": ["print(${1:value})", "$0"],',
    '  //   "description": "Prints a value"',
    '  // }',
    '}',
    '',
  ].join('\n')
}

/** Asks for a snippet file of the user, or the language for a new one, and opens it. */
export async function configureSnippets(): Promise<void> {
  const [files, { monaco }] = await Promise.all([
    request('userFiles.snippets', {}),
    import('../platform/editor/monaco/monaco.ts'),
  ])
  const languages = new Map(monaco.languages.getLanguages().map((language) => [language.id, languageName(language)]))
  const existing = files.map((file): QuickPickItem => {
    const name = nameOf(file)
    return { id: file, label: languages.get(name.replace(/\.json$/, '')) ?? name, description: name }
  })
  const others = [...languages]
    .filter(([id]) => !files.includes(`snippets/${id}.json`))
    .map(([id, label]): QuickPickItem => ({ id: `snippets/${id}.json`, label, description: `${id}.json` }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
  const fresh: QuickPickItem[] = files.includes(sharedFile)
    ? others
    : [{ id: sharedFile, label: 'All languages', description: nameOf(sharedFile) }, ...others]
  const headed = (items: QuickPickItem[], heading: string) =>
    items.map((item, index) => (index === 0 ? { ...item, heading } : item))
  const choice = await quickPick({
    title: 'Configure snippets',
    placeholder: 'Choose a snippet file or a language',
    empty: 'No language matches.',
    items: [...headed(existing, 'Your snippets'), ...headed(fresh, 'New snippets file for')],
  })
  if (choice) showTab(previewTab(choice.id, 'userFile'))
}
