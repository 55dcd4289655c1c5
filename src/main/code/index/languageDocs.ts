import { dataLanguages, hasSymbols, languages, type SourceLanguage } from './languages.ts'

/**
 * docs/languages.md: what the code index reads of each language.
 * @param queryText the text of a tag query by its name under resources/grammars
 */
export function languageDocs(queryText: (query: string) => string): string {
  return [
    '# Languages',
    '',
    '<!-- Written by `node scripts/docs.ts` from the table of languages and the tag queries; edit those instead. -->',
    '',
    'What the code index reads (`src/main/code/index/languages.ts`, queries in `resources/grammars`, tables in `src/main/code/tables`). `contains` edges follow',
    'from nesting everywhere. A file over 1 MB (Markdown: 256 KB) or one that takes longer than 2 s to read has no symbols and says so.',
    '',
    '| language | files | definitions | edges |',
    '|---|---|---|---|',
    ...languages.filter(hasSymbols).map((language) => row(language, queryText)),
    '',
    `Known by name, their files are searchable text: ${languages
      .filter((language) => !hasSymbols(language))
      .map(({ title }) => title)
      .join(', ')}.`,
    '',
  ].join('\n')
}

function row(language: SourceLanguage, queryText: (query: string) => string): string {
  const [definitions, edges] = definitionsAndEdges(language, queryText)
  return `| ${[language.title, [...language.extensions, ...(language.names ?? [])].join(', '), definitions, edges].join(' | ')} |`
}

function definitionsAndEdges(
  { id, grammar, reader }: SourceLanguage,
  queryText: (query: string) => string,
): [definitions: string, edges: string] {
  if (reader === 'markdown') return ['headings (module), by level', '–']
  if (reader === 'component') return ['as its script, TypeScript or JavaScript', 'as its script']
  if (dataLanguages.has(id)) return [`keys (property), at most ${grammar?.keys?.maxSymbols ?? 0}`, '–']
  const queries = (grammar?.queries ?? []).map(queryText).join('\n')
  const captures = (name: string): string[] => [
    ...new Set([...queries.matchAll(new RegExp(`@${name}\\.(\\w+)`, 'g'))].map(([, kind = '']) => kind)),
  ]
  const kinds = captures('definition')
  // What is a function elsewhere is a method inside a type (extract.ts).
  const inTypes =
    captures('reference').includes('call') &&
    kinds.includes('function') &&
    kinds.some((kind) => /^(class|interface|trait|impl)$/.test(kind))
      ? ['method']
      : []
  const links = ['import', 'export'].filter((kind) => captures(kind).length > 0)
  return [[...new Set([...kinds, ...inTypes])].join(', '), [...captures('reference'), ...links].join(', ') || '–']
}
