/** Generic types that have the members of their argument. */
const transparentWrapper =
  /^(?:Promise|PromiseLike|Awaited|Readonly|Required|Partial|NonNullable|Final|Optional|Box|Rc|Arc)[<[]([^,]*)[>\]]$/

/**
 * Returns the name of the type whose members a value with this annotation has: `Store` for `Promise<Store | null>`,
 * `core.Type` for `core.Type<T>`. Null if there is no single name, as for `Store[]`, functions and unions.
 */
export function parseNamedType(annotation: string): string | null {
  let text = annotation.trim().replace(/^["'](.*)["']$/, '$1')
  text = text.replace(/^(?:&|\*|mut\b|readonly\b|const\b|'\w+|\s)+/, '')
  text = text.replace(/\s*\|\s*(?:null|undefined|None)\b/g, '').replace(/^(?:null|undefined|None)\s*\|\s*/, '')
  const inner = transparentWrapper.exec(text)?.[1]
  if (inner !== undefined) return parseNamedType(inner)
  const generic = /^([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)\s*(?:<.*>)?$/s.exec(text)
  if (!generic?.[1] || (text.endsWith('>') && !isBalanced(text.slice(generic[1].length)))) return null
  return generic[1].replaceAll('::', '.')
}

/** Whether the first angle bracket is closed by the last character. */
function isBalanced(text: string): boolean {
  let depth = 0
  const arrows = text.trim().replaceAll('=>', '')
  for (let index = 0; index < arrows.length; index++) {
    if (arrows[index] === '<') depth++
    else if (arrows[index] === '>') depth--
    if (depth === 0 && index < arrows.length - 1) return false
  }
  return depth === 0
}

/** The value of a symbol, according to its signature. */
export type DeclaredValue =
  | { type: string }
  /** An expression, in the format of `Locals.origin`. */
  | { origin: string }

/**
 * Returns the declared return type of a function, or the declared type of a variable, property or alias; null if
 * none.
 * @param signature as stored in the index: on one line, without a body, truncated with `…`
 */
export function parseDeclaredValue(signature: string, name: string, callable: boolean): DeclaredValue | null {
  const at = wordAt(signature, name)
  if (at < 0) return null
  const rest = signature.slice(at + name.length)
  if (callable) return parseReturnType(rest, /^func\b/.test(signature) && !signature.includes('->'))
  const alias = /^\s*(?:<.*>)?\s*=\s*([^=>].*)$/.exec(/^type\s/.test(signature) ? rest : '')?.[1]
  if (alias !== undefined) return toDeclaredType(alias)
  const annotation = /^[?!]?\s*:\s*(.*)$/s.exec(rest)?.[1]
  if (annotation !== undefined) return toDeclaredType(annotation.replace(/\s=\s.*$/s, ''))
  const value = /^\s*=\s*(?:await\s+)?(.*)$/s.exec(rest)?.[1]
  return value === undefined ? null : parseInitializer(value)
}

function wordAt(text: string, word: string): number {
  const inWord = (letter: string | undefined): boolean => letter !== undefined && /[\w$]/.test(letter)
  let at = text.indexOf(word)
  while (at >= 0 && (inWord(text[at - 1]) || inWord(text[at + word.length]))) at = text.indexOf(word, at + 1)
  return at
}

function toDeclaredType(annotation: string): DeclaredValue | null {
  const type = parseNamedType(annotation)
  return type === null ? null : { type }
}

/** Parses `new Store(…)`, `createStore(…)` and `deps.store`. */
function parseInitializer(value: string): DeclaredValue | null {
  const made = /^new\s+([\w$.]+)/.exec(value)?.[1]
  if (made !== undefined) return { type: made }
  const called = /^(?:\/\*.*?\*\/\s*)?([A-Za-z_$][\w$.]*)\s*(?:<[^()]*>)?(\(|$)/.exec(value)
  if (!called?.[1]) return null
  if (called[2] === '') return { origin: called[1] }
  // The call must be the whole expression.
  const end = closingBracket(value, called[0].length - 1)
  return end === null || value.slice(end + 1).trim() !== '' ? null : { origin: `${called[1]}()` }
}

/**
 * Parses what follows the parameters: `): T`, `) -> T`, or `) T` in Go.
 * @param bare the type follows the parameters directly
 */
function parseReturnType(rest: string, bare: boolean): DeclaredValue | null {
  const open = rest.indexOf('(')
  const end = open < 0 ? null : closingBracket(rest, open)
  if (end === null) return null
  if (bare) return toDeclaredType(rest.slice(end + 1))
  const type = /^\s*(?::|->)\s*(.*?)(?:\s+where\s.*)?$/s.exec(rest.slice(end + 1))?.[1]
  return type === undefined ? null : toDeclaredType(type.replace(/\s*=>?$/, ''))
}

/** Returns the index of the matching closing bracket; null if the text is truncated before it. */
function closingBracket(text: string, open: number): number | null {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    const letter = text[index]
    if (letter === '(' || letter === '[' || letter === '{') depth++
    else if (letter === ')' || letter === ']' || letter === '}') depth--
    if (depth === 0) return index
  }
  return null
}
