import type { Extraction, FoundSymbol } from './symbolTypes.ts'
import { scriptLanguages } from './languages.ts'

/** Whether a symbol is accessible outside its file, module or package, by the rules of its language. */
type Rule = (symbol: FoundSymbol, parent: FoundSymbol | undefined, file: Extraction & { text: string }) => boolean

/** Returns the modifiers before a name in its signature. Skips matches inside words: `e` in `protected e()`. */
function modifiersBeforeName({ signature, name }: FoundSymbol): string {
  const wordAt = (at: number): boolean => /\w/.test(signature.charAt(at))
  let at = signature.indexOf(name)
  while (at > 0 && (wordAt(at - 1) || wordAt(at + name.length))) at = signature.indexOf(name, at + 1)
  return signature.slice(0, Math.max(0, at))
}
const hasModifier = (symbol: FoundSymbol, words: RegExp): boolean => words.test(modifiersBeforeName(symbol))
/** Symbols inside functions are never accessible from outside. */
const isInsideFunction = (parent: FoundSymbol | undefined): boolean =>
  parent?.kind === 'function' || parent?.kind === 'method'

/** For languages in which members of a public type are public by default. */
const exportedUnless =
  (words: RegExp): Rule =>
  (symbol, parent) =>
    !hasModifier(symbol, words) && !isInsideFunction(parent) && (parent?.exported ?? true)
const exportedWith =
  (words: RegExp): Rule =>
  (symbol, parent) =>
    !isInsideFunction(parent) &&
    (hasModifier(symbol, words) ||
      ((parent?.kind === 'interface' || symbol.kind === 'enum_member') &&
        parent?.exported === true &&
        !hasModifier(symbol, /\bprivate\b/)))

const rules: Readonly<Record<string, Rule>> = {
  python(symbol, parent, { text }) {
    if (parent)
      return (
        !isInsideFunction(parent) && parent.exported && (!symbol.name.startsWith('_') || /^__\w+__$/.test(symbol.name))
      )
    const listed = pythonAllNames(text)
    return listed ? listed.has(symbol.name) : !symbol.name.startsWith('_')
  },
  go: (symbol, parent) => !isInsideFunction(parent) && /^\p{Lu}/u.test(symbol.name),
  rust: (symbol, parent) =>
    !isInsideFunction(parent) &&
    (symbol.exported ||
      /^pub\b/.test(symbol.signature) ||
      ((parent?.kind === 'trait' || symbol.kind === 'enum_member') && parent?.exported === true)),
  java: exportedWith(/\bpublic\b/),
  csharp: exportedWith(/\bpublic\b/),
  swift: exportedWith(/\b(?:public|open)\b/),
  kotlin: exportedUnless(/\b(?:private|internal|protected)\b/),
  scala: exportedUnless(/\b(?:private|protected)\b/),
  php: exportedUnless(/\b(?:private|protected)\b/),
  dart: (symbol, parent) => !isInsideFunction(parent) && !symbol.name.startsWith('_') && (parent?.exported ?? true),
  c: exportedUnless(/\bstatic\b/),
}

const memberTypes: ReadonlySet<string> = new Set(['class', 'interface', 'enum'])

/** Whether Tizona knows the export rules of a language. */
export function hasExportRules(language: string): boolean {
  return scriptLanguages.has(language) || Object.hasOwn(rules, language)
}

/** Sets `exported` of a file's symbols by the rules of its language. Parents must precede their children. */
export function markExported(language: string, text: string, file: Extraction): Extraction {
  if (scriptLanguages.has(language)) markScriptExports(file)
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
 * Marks symbols exported by separate statements (`export { a as b }`, `export default a`, `module.exports = { a }`),
 * and non-private members of exported types.
 */
function markScriptExports({ symbols, links }: Extraction): void {
  const named = new Set(
    links.flatMap(({ kind, source, original }) => (kind === 'export' && source === null ? [original] : [])),
  )
  for (const symbol of symbols) {
    const parent = symbol.parent === null ? undefined : symbols[symbol.parent]
    if (!parent) symbol.exported ||= named.has(symbol.name)
    else if (memberTypes.has(parent.kind))
      symbol.exported =
        parent.exported && !symbol.name.startsWith('#') && !hasModifier(symbol, /\b(?:private|protected)\b/)
  }
}

/** Returns the names in `__all__` if it is a literal list or tuple at module level. */
function pythonAllNames(text: string): ReadonlySet<string> | undefined {
  const list = /^__all__\s*(?::[^=\n]*)?=\s*[[(]([^\])]*)[\])]/m.exec(text)?.[1]
  return list === undefined ? undefined : new Set([...list.matchAll(/["'](\w+)["']/g)].map(([, name]) => name ?? ''))
}
