import { setFlagsFromString } from 'node:v8'
import type { Parser } from 'web-tree-sitter'
import { wasmFlags } from './wasmFlags.ts'

/** Stored on web-tree-sitter, which keeps its first module object even when tests reload this module. */
const key = Symbol.for('tizona.treeSitterEngine')

type ParserClass = typeof Parser & { [key]?: Promise<object> }

/**
 * Starts this thread's tree-sitter engine once. Returns Emscripten's module object with the engine's memory and
 * functions.
 * @param parser the caller's web-tree-sitter class
 * @param options passed to Emscripten's loader by the first call; becomes its module object
 */
export function startTreeSitter(parser: ParserClass, options: object = {}): Promise<object> {
  return (parser[key] ??= start(parser, options))
}

async function start(parser: ParserClass, options: object): Promise<object> {
  // Set here, not at process start: with changed flags Node recompiles all its modules.
  for (const flag of wasmFlags) setFlagsFromString(flag)
  await parser.init(options)
  return options
}
