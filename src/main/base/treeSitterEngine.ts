import { setFlagsFromString } from 'node:v8'
import type { Parser } from 'web-tree-sitter'
import { wasmFlags } from './wasmFlags.ts'

/** web-tree-sitter keeps its first module object, also when tests load this module again, so it is kept there. */
const key = Symbol.for('tizona.treeSitterEngine')

type ParserClass = typeof Parser & { [key]?: Promise<object> }

/**
 * Starts the tree-sitter engine of this thread, once. Returns Emscripten's module object, which has the memory and the
 * functions of the engine.
 * @param parser the class of the caller's web-tree-sitter
 * @param options for Emscripten's loader, which makes them its module object; used by the first call
 */
export function startTreeSitter(parser: ParserClass, options: object = {}): Promise<object> {
  return (parser[key] ??= start(parser, options))
}

async function start(parser: ParserClass, options: object): Promise<object> {
  // Not when the process starts: with other flags than its own, Node compiles each of its modules again.
  for (const flag of wasmFlags) setFlagsFromString(flag)
  await parser.init(options)
  return options
}
