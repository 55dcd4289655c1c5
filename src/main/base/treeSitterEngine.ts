import { Parser } from 'web-tree-sitter'

/** web-tree-sitter keeps its first module object, also when tests load this module again, so it is kept there. */
const key = Symbol.for('tizona.treeSitterEngine')
const kept = Parser as typeof Parser & { [key]?: Promise<object> }

/**
 * Starts the tree-sitter engine of this thread, once. Returns Emscripten's module object, which has the memory and the
 * functions of the engine.
 * @param options for Emscripten's loader, which makes them its module object; used by the first call
 */
export function startTreeSitter(options: object = {}): Promise<object> {
  return (kept[key] ??= Parser.init(options).then(() => options))
}
