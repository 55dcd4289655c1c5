import type { Extraction, FoundSymbol } from './symbolTypes.ts'
import { scripts } from '../resolve/languageScoping.ts'

/** Whether a symbol can be named outside of its file (module, package), by the rules of its language. */
type Rule = (symbol: FoundSymbol, parent: FoundSymbol | undefined, file: Extraction & { text: string }) => boolean

/** The modifiers before a name: a signature begins with them. `e` is not the name in `protected e()` where it stands within a word. */
function before({ signature, name }: FoundSymbol): string {
  const wordAt = (at: number): boolean => /\w/.test(signature.charAt(at))
  let at = signature.indexOf(name)
  while (at > 0 && (wordAt(at - 1) || wordAt(at + name.length))) at = signature.indexOf(name, at + 1)
  return signature.slice(0, Math.max(0, at))
}
const has = (symbol: FoundSymbol, words: RegExp): boolean => words.test(before(symbol))
/** What stands inside of a function cannot be named outside of it. */
const local = (parent: FoundSymbol | undefined): boolean => parent?.kind === 'function' || parent?.kind === 'method'

/** Members of a public type are public unless a modifier says otherwise. */
const unless =
  (words: RegExp): Rule =>
  (symbol, parent) =>
    !has(symbol, words) && !local(parent) && (parent?.exported ?? true)
const withWord =
  (words: RegExp): Rule =>
  (symbol, parent) =>
    !local(parent) &&
    (has(symbol, words) ||
      ((parent?.kind === 'interface' || symbol.kind === 'enum_member') &&
        parent?.exported === true &&
        !has(symbol, /\bprivate\b/)))

const rules: Readonly<Record<string, Rule>> = {
  python(symbol, parent, { text }) {
    if (parent)
      return !local(parent) && parent.exported && (!symbol.name.startsWith('_') || /^__\w+__$/.test(symbol.name))
    const listed = pythonList(text)
    return listed ? listed.has(symbol.name) : !symbol.name.startsWith('_')
  },
  go: (symbol, parent) => !local(parent) && /^\p{Lu}/u.test(symbol.name),
  rust: (symbol, parent) =>
    !local(parent) &&
    (symbol.exported ||
      /^pub\b/.test(symbol.signature) ||
      ((parent?.kind === 'trait' || symbol.kind === 'enum_member') && parent?.exported === true)),
  java: withWord(/\bpublic\b/),
  csharp: withWord(/\bpublic\b/),
  swift: withWord(/\b(?:public|open)\b/),
  kotlin: unless(/\b(?:private|internal|protected)\b/),
  scala: unless(/\b(?:private|protected)\b/),
  php: unless(/\b(?:private|protected)\b/),
  dart: (symbol, parent) => !local(parent) && !symbol.name.startsWith('_') && (parent?.exported ?? true),
  c: unless(/\bstatic\b/),
}

const memberTypes: ReadonlySet<string> = new Set(['class', 'interface', 'enum'])

/** Whether `exported` of a language's symbols says something. */
export function knowsExports(language: string): boolean {
  return scripts.has(language) || Object.hasOwn(rules, language)
}

/** Sets `exported` of a file's symbols by the rules of its language; what encloses stands before what it encloses. */
export function markExported(language: string, text: string, file: Extraction): Extraction {
  if (scripts.has(language)) markScript(file)
  const rule = Object.hasOwn(rules, language) ? rules[language] : undefined
  if (rule) {
    for (const symbol of file.symbols)
      symbol.exported = rule(symbol, symbol.parent === null ? undefined : file.symbols[symbol.parent], {
        ...file,
        text,
      })
  }
  return file
}

/**
 * `export { a as b }`, `export default a`, `module.exports = { a }`: what such a line names is defined elsewhere in the file. Members of an exported
 * type can be named unless they are private.
 */
function markScript({ symbols, links }: Extraction): void {
  const named = new Set(
    links.flatMap(({ kind, source, original }) => (kind === 'export' && source === null ? [original] : [])),
  )
  for (const symbol of symbols) {
    const parent = symbol.parent === null ? undefined : symbols[symbol.parent]
    if (!parent) symbol.exported ||= named.has(symbol.name)
    else if (memberTypes.has(parent.kind))
      symbol.exported = parent.exported && !symbol.name.startsWith('#') && !has(symbol, /\b(?:private|protected)\b/)
  }
}

/** The names of `__all__`, where it is a plain list or tuple at the top of the module. */
function pythonList(text: string): ReadonlySet<string> | undefined {
  const list = /^__all__\s*(?::[^=\n]*)?=\s*[[(]([^\])]*)[\])]/m.exec(text)?.[1]
  return list === undefined ? undefined : new Set([...list.matchAll(/["'](\w+)["']/g)].map(([, name]) => name ?? ''))
}
