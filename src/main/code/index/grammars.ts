import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Language, Parser, Query } from 'web-tree-sitter'
import { once } from '../../../shared/async/once.ts'
import { startTreeSitter } from '../../base/treeSitterEngine.ts'
import type { Grammar } from './extractSymbols.ts'
import type { GrammarFiles, SourceLanguage } from './languages.ts'
import type { QueryEngine } from './queryMatches.ts'

export interface Grammars {
  /**
   * Returns the grammar of a language, loaded on first use; null if it has none. Throws if its files cannot be read.
   */
  get(language: SourceLanguage): Promise<Grammar | null>
}

/** By folder and language. Kept for the life of the process, because preparing a query takes up to a second. */
const loaded = new Map<string, Promise<Grammar>>()
let parser: Promise<{ parser: Parser; engine: QueryEngine }> | undefined
let engineModule: CompiledModule | undefined

/** A compiled WebAssembly module. Threads share its machine code. */
export type CompiledModule = object & { readonly compiled?: never }

// Only TypeScript's library for browsers declares WebAssembly.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => CompiledModule
  Instance: new (module: CompiledModule, imports: object) => object
}

/**
 * V8 flags while the engine is compiled: the baseline compiler compiles all functions, and the optimizing one
 * recompiles those that run more than a few times (by default, only after 13 million bytes of executed code).
 */
const optimizing = [
  '--no-wasm-lazy-compilation',
  '--wasm-tier-up',
  '--wasm-dynamic-tiering',
  '--wasm-tiering-budget=100000',
]
/** V8 flags for grammars: the flags in wasmFlags.ts, and V8's defaults. */
const baseline = [
  '--wasm-lazy-compilation',
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
  '--wasm-tiering-budget=13000000',
]

/**
 * Compiles the tree-sitter engine so that V8 optimizes its hot functions in the background. This cuts parsing time by
 * a third; optimizing the whole engine would delay the first file by 0.25 s. Grammars are too large for the
 * optimizing compiler (wasmFlags.ts), and V8's flags apply to all threads, so no other module may be compiled
 * meanwhile: this function is synchronous, and threads compile nothing until they receive this module.
 */
export function compileEngineModule(): CompiledModule {
  const { resolve } = createRequire(import.meta.url)
  const bytes = readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm'))
  for (const flag of optimizing) setFlagsFromString(flag)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    for (const flag of baseline) setFlagsFromString(flag)
  }
}

/** Makes this thread use an engine from `compileEngineModule`. Call it before loading a grammar. */
export function useEngineModule(module: CompiledModule): void {
  engineModule = module
}

/** Passed to the engine's Emscripten loader. */
function engineOptions(): object {
  const compiled = engineModule
  if (!compiled) return {}
  return {
    instantiateWasm(imports: object, use: (instance: object, module: object) => void) {
      use(new WebAssembly.Instance(compiled, imports), compiled)
      return {}
    },
  }
}

async function startEngine(): Promise<{ parser: Parser; engine: QueryEngine }> {
  const engine = await startTreeSitter(Parser, engineOptions())
  return { parser: new Parser(), engine: engine as QueryEngine }
}

/** @param folder contains the tag queries: `resources/grammars` */
export function createGrammars(folder: string): Grammars {
  const { resolve } = createRequire(import.meta.url)

  async function load({ wasm, queries, conditional, keys }: GrammarFiles): Promise<Grammar> {
    const textOf = (query: string): Promise<string> => readFile(path.join(folder, `${query}.scm`), 'utf8')
    // One parser serves all languages; the language is set before each parse.
    parser ??= startEngine()
    const texts = await Promise.all(queries.map(textOf))
    const conditionalText = conditional ? await textOf(conditional.query) : ''
    const made = await parser
    const language = await Language.load(resolve(wasm))
    const source = [...texts, conditionalText].join('\n')
    const usual = once(() => new Query(language, texts.join('\n')))
    const whole = once(() => new Query(language, source))
    return {
      ...made,
      language,
      queryFor: (text) => (conditional?.when.test(text) ? whole() : usual()),
      source,
      ...(keys ? { keys } : {}),
    }
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
