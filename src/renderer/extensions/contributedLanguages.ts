import type {
  Contributions,
  ContributedGrammar,
  ContributedLanguage,
  ContributedSchema,
} from '../../shared/extensions/extensions.ts'
import { maxMatchedText } from '../../shared/extensions/languageConfiguration.ts'
import { request } from '../platform/bridge/bridge.ts'
import { extensionSchemaUri, setExtensionSchemas } from '../platform/editor/monaco/jsonSchemas.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { textMateTheme } from '../platform/editor/monaco/textMateTheme.ts'
import { useContributions } from '../platform/extensions/extensionsStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { useTheme } from '../platform/theme/theme.ts'
import { blamedGrammars } from './grammars/blamedGrammars.ts'
import { createGrammarClient } from './grammars/grammarClient.ts'
import type { WorkerGrammar } from './grammars/grammarMessages.ts'
import { registerGrammarTokens } from './grammars/grammarTokens.ts'
import { guardedExpression } from './guardedExpression.ts'
import { setBuiltInLanguages } from './languageOfPath.ts'

let stopCurrent: (() => void) | null = null
/** Scopes of grammars that cannot be used. They are tried again after the extensions have changed. */
let unusable = new Set<string>()
const registered = new Set<string>()

/** Registers the languages, their configurations and grammars, and again when extensions change. */
export async function followContributedLanguages(): Promise<void> {
  if (stopCurrent) return
  setBuiltInLanguages(monaco.languages.getLanguages())
  const update = () => {
    stopCurrent?.()
    const { contributions } = useContributions.getState()
    stopCurrent = registerAll(contributions)
    attempt(() => registerSchemas(contributions.schemas), 'The JSON schemas of extensions could not be loaded')
  }
  useContributions.subscribe(({ contributions }, before) => {
    if (contributions === before.contributions) return
    unusable = new Set()
    update()
  })
  update()
}

function registerAll({ languages, grammars }: Contributions): () => void {
  for (const language of languages) registerLanguage(language)
  const configurations = languages.flatMap(({ id, configuration }) =>
    configuration ? [monaco.languages.setLanguageConfiguration(id, toMonaco(configuration))] : [],
  )
  const usable = grammars.filter(({ scopeName }) => !unusable.has(scopeName))
  const stopGrammars = registerGrammars(usable, () => {
    stopCurrent?.()
    stopCurrent = registerAll({ ...useContributions.getState().contributions })
  })
  return () => {
    for (const configuration of configurations) configuration.dispose()
    stopGrammars()
  }
}

/** Monaco has no way to remove a language, so each is registered once. */
function registerLanguage({
  id,
  aliases,
  extensions,
  filenames,
  filenamePatterns,
  firstLine,
  mimetypes,
}: ContributedLanguage) {
  const key = JSON.stringify([id, aliases, extensions, filenames, filenamePatterns, firstLine, mimetypes])
  if (registered.has(key)) return
  registered.add(key)
  monaco.languages.register({
    id,
    aliases,
    extensions,
    filenames,
    filenamePatterns,
    mimetypes,
    ...(firstLine !== undefined && { firstLine }),
  })
}

/** Regular expressions are `{ pattern, flags }` (shared/extensions/languageConfiguration.ts). */
function toMonaco(value: unknown): monaco.languages.LanguageConfiguration {
  const convert = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(convert)
    if (typeof each !== 'object' || each === null) return each
    const { pattern, flags } = each as { pattern?: unknown; flags?: unknown }
    if (typeof pattern === 'string' && typeof flags === 'string')
      return guardedExpression({ pattern, flags }, maxMatchedText)
    return Object.fromEntries(Object.entries(each).map(([key, part]) => [key, convert(part)]))
  }
  // readLanguageConfiguration returns the fields of Monaco's type.
  const configuration = convert(value) as monaco.languages.LanguageConfiguration
  const { wordPattern } = configuration
  // Monaco would make another expression of one without the flag, which nothing bounds.
  return wordPattern === undefined
    ? configuration
    : {
        ...configuration,
        wordPattern: guardedExpression({ pattern: wordPattern.source, flags: `${wordPattern.flags}g` }, maxMatchedText),
      }
}

async function registerSchemas(contributed: readonly ContributedSchema[]): Promise<void> {
  const loaded = await Promise.all(
    contributed.map(async ({ extension, path, fileMatch }) => {
      // A schema that is no JSON is not used. Main limits its size.
      const read = async (): Promise<unknown> => JSON.parse(await request('extensions.readText', { extension, path }))
      return { uri: extensionSchemaUri(extension, path), fileMatch, schema: await read().catch(() => null) }
    }),
  )
  setExtensionSchemas(loaded.filter(({ schema }) => typeof schema === 'object' && schema !== null))
}

const standardTypes: Readonly<Record<string, number>> = { other: 0, comment: 1, string: 2, regex: 3 }

function workerGrammars(grammars: readonly ContributedGrammar[]): WorkerGrammar[] {
  const languageNumber = (id: string) => monaco.languages.getEncodedLanguageId(id)
  return grammars.map(({ scopeName, language, injectTo, embeddedLanguages, tokenTypes, ...brackets }) => ({
    scopeName,
    injectTo,
    balancedBracketSelectors: brackets.balancedBracketScopes ?? ['*'],
    unbalancedBracketSelectors: brackets.unbalancedBracketScopes,
    ...(language !== undefined && { languageId: languageNumber(language) }),
    embeddedLanguages: Object.fromEntries(
      Object.entries(embeddedLanguages).map(([scope, id]) => [scope, languageNumber(id)]),
    ),
    tokenTypes: Object.fromEntries(
      Object.entries(tokenTypes).flatMap(([scope, type]) => {
        const number = standardTypes[type]
        return number === undefined ? [] : [[scope, number]]
      }),
    ),
  }))
}

/** @param onUnusable registers the others again */
function registerGrammars(grammars: readonly ContributedGrammar[], onUnusable: () => void): () => void {
  const client = createGrammarClient(
    grammars,
    () => workerGrammars(grammars),
    (scopeName, reason) => {
      const blamed = blamedGrammars(grammars, scopeName)
      for (const each of blamed) unusable.add(each)
      const [only] = blamed
      const title =
        blamed.length === 1 && only !== undefined
          ? `The grammar ${only} of an extension is not used.`
          : `Grammars of extensions are not used: ${blamed.slice(0, 10).join(', ')}.`
      notify('warning', title, {
        detail: `${reason} Files are colored without it until the extension is enabled again.`,
      })
      onUnusable()
    },
  )
  const followTheme = () => client.setTheme(textMateTheme(useTheme.getState().imported))
  followTheme()
  const stopTheme = useTheme.subscribe(followTheme)
  const byLanguage = new Map(
    grammars.flatMap(({ language, scopeName }) => (language === undefined ? [] : [[language, scopeName] as const])),
  )
  const stops = [...byLanguage].map(([language, scopeName]) => registerGrammarTokens(language, scopeName, client))
  return () => {
    stopTheme()
    for (const stop of stops) stop()
    client.dispose()
  }
}
