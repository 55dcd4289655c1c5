import type { ContributedLanguage } from '../../shared/extensions/extensions.ts'
import { useContributions } from '../platform/extensions/extensionsStore.ts'

type Language = Pick<ContributedLanguage, 'id'> & Partial<Pick<ContributedLanguage, 'extensions' | 'filenames'>>

let builtIn: readonly Language[] = []
let table: Map<string, string> | null = null

/** Sets Monaco's own languages once Monaco has loaded. */
export function setBuiltInLanguages(languages: readonly Language[]): void {
  builtIn = languages
  table = null
}

useContributions.subscribe(() => {
  table = null
})

function languageTable(): Map<string, string> {
  const found = new Map<string, string>()
  for (const { id, extensions = [], filenames = [] } of [
    ...builtIn,
    ...useContributions.getState().contributions.languages,
  ])
    for (const name of [...extensions, ...filenames.map((each) => `/${each}`)]) found.set(name.toLowerCase(), id)
  return found
}

/** Returns the language of a file by its name; undefined if it is unknown. */
export function languageOfPath(path: string): string | undefined {
  table ??= languageTable()
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const named = table.get(`/${name}`)
  if (named !== undefined) return named
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const found = table.get(name.slice(dot))
    if (found !== undefined) return found
  }
  return undefined
}
