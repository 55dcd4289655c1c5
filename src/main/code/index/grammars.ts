import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Language, Parser, Query } from 'web-tree-sitter'
import type { Grammar } from './extractSymbols.ts'
import type { GrammarFiles, SourceLanguage } from './languages.ts'

export interface Grammars {
  /**
   * Returns the grammar of a language, loaded on first use; null if it has none. Throws if its files cannot be read.
   */
  get(language: SourceLanguage): Promise<Grammar | null>
}

/** By folder and language. Kept for the process, because preparing a query takes up to a second. */
const loaded = new Map<string, Promise<Grammar>>()
let parser: Promise<Parser> | undefined

/** @param folder the tag queries: `resources/grammars` */
export function createGrammars(folder: string): Grammars {
  const { resolve } = createRequire(import.meta.url)

  async function load({ wasm, queries, keys }: GrammarFiles): Promise<Grammar> {
    // One parser serves all languages; the language is set before each parse.
    parser ??= Parser.init().then(() => new Parser())
    const texts = await Promise.all(queries.map((query) => readFile(path.join(folder, `${query}.scm`), 'utf8')))
    const made = await parser
    const language = await Language.load(resolve(wasm))
    const source = texts.join('\n')
    return { parser: made, language, query: new Query(language, source), source, ...(keys ? { keys } : {}) }
  }

  return {
    async get({ id, grammar }) {
      if (!grammar) return null
      const key = `${folder}:${id}`
      const before = loaded.get(key)
      if (before) return before
      const loading = load(grammar)
      loaded.set(key, loading)
      return loading
    },
  }
}
