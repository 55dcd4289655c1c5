import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { isRecord } from '../transport/errorBody.ts'

// Port of llama.cpp's common/json-schema.cpp and common/json-schema-to-grammar.cpp (MIT) for the schemas that
// `grammarSafe` creates. Rules have the same names as in the source. Keywords that are not ported throw an error.
// Patterns are copied unchanged, as in older releases.

/** `SPACE_RULE`, `PRIMITIVE_RULES` and `STRING_FORMAT_RULES` in llama.cpp. */
const builtIn: Readonly<Record<string, string>> = {
  space: String.raw`| " " | "\n"{1,2} [ \t]{0,20}`,
  boolean: '("true" | "false")',
  'decimal-part': '[0-9]{1,16}',
  'integral-part': '[0] | [1-9] [0-9]{0,15}',
  number: '("-"? integral-part) ("." decimal-part)? ([eE] [-+]? integral-part)?',
  integer: '("-"? integral-part)',
  value: 'object | array | string | number | boolean | null',
  object: '"{" space ( string ":" space value ("," space string ":" space value)* )? space "}"',
  array: '"[" space ( value ("," space value)* )? space "]"',
  uuid: String.raw`"\"" [0-9a-fA-F]{8} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{4} "-" [0-9a-fA-F]{12} "\""`,
  char: String.raw`[^"\\\x7F\x00-\x1F] | [\\] (["\\bfnrt] | "u" [0-9a-fA-F]{4})`,
  string: String.raw`"\"" char* "\""`,
  null: '"null"',
  date: '[0-9]{4} "-" ( "0" [1-9] | "1" [0-2] ) "-" ( "0" [1-9] | [1-2] [0-9] | "3" [0-1] )',
  time: '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ( "." [0-9]{3} )? ( "Z" | ( "+" | "-" ) ( [01] [0-9] | "2" [0-3] ) ":" [0-5] [0-9] )',
  'date-time': 'date "T" time',
  'date-string': String.raw`"\"" date "\""`,
  'time-string': String.raw`"\"" time "\""`,
  'date-time-string': String.raw`"\"" date-time "\""`,
}

/**
 * Creates the grammar (GBNF) that llama-server compiles for a request with these tools: `{"name": …, "arguments":
 * {…}}`.
 * @throws Error for a schema that llama.cpp's converter refuses
 */
export function toolsGrammar(tools: readonly { name: string; parameters: JsonSchema }[]): string {
  const rules = new Map(Object.entries(builtIn))
  const calls = tools.map(({ name, parameters }) => {
    const args = visit(rules, parameters, `${name}-args`)
    return addRule(
      rules,
      `${name}-call`,
      `"{" space ${literal('name')} space ":" space ${literal(name)} space "," space ${literal('arguments')} space ":" space ${args} space "}"`,
    )
  })
  rules.set('root', calls.join(' | '))
  return [...rules].map(([name, rule]) => `${name} ::= ${rule}\n`).join('')
}

/**
 * Creates the grammar (GBNF) of a JSON value that matches a schema, without whitespace outside strings.
 * @throws Error for a schema that llama.cpp's converter refuses
 */
export function schemaGrammar(schema: JsonSchema): string {
  const rules = new Map(Object.entries({ ...builtIn, space: '""' }))
  rules.set('root', visit(rules, schema, 'answer'))
  return [...rules].map(([name, rule]) => `${name} ::= ${rule}\n`).join('')
}

function addRule(rules: Map<string, string>, name: string, rule: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9-]+/g, '-')
  let key = plain
  for (let at = 0; rules.has(key) && rules.get(key) !== rule; at++) key = `${plain}${at}`
  rules.set(key, rule)
  return key
}

/** Returns the GBNF literal of a JSON value. */
function literal(value: unknown): string {
  const escapes: Record<string, string> = { '\r': '\\r', '\n': '\\n', '"': '\\"', '\\': '\\\\' }
  return `"${JSON.stringify(value).replaceAll(/[\r\n"\\]/g, (character) => escapes[character] ?? character)}"`
}

function visit(rules: Map<string, string>, schema: unknown, name: string): string {
  if (!isRecord(schema)) throw new Error(`${name}: schema must be an object`)
  for (const key of ['$ref', 'allOf', 'prefixItems', 'oneOf'])
    if (key in schema) throw new Error(`${name}: ${key} is not ported`)
  const add = (rule: string) => addRule(rules, Object.hasOwn(builtIn, name) ? `${name}-` : name, rule)
  const { type } = schema
  const alternatives =
    schema['anyOf'] ?? (Array.isArray(type) ? type.map((each: unknown) => ({ ...schema, type: each })) : undefined)
  if (alternatives !== undefined) {
    if (!Array.isArray(alternatives) || alternatives.length === 0)
      throw new Error(`${name}: anyOf must be a list of schemas`)
    return add(alternatives.map((each, at) => visit(rules, each, `${name}-${at}`)).join(' | '))
  }
  if ('const' in schema) return add(literal(schema['const']))
  if ('enum' in schema) {
    if (!Array.isArray(schema['enum']) || schema['enum'].length === 0)
      throw new Error(`${name}: enum must be a non-empty array`)
    return add(`(${schema['enum'].map(literal).join(' | ')})`)
  }
  const hasNames =
    'properties' in schema || ('additionalProperties' in schema && schema['additionalProperties'] !== true)
  if (type === 'object' || (type === undefined && hasNames)) return add(objectRule(rules, schema, name))
  if (type === 'array' || (type === undefined && 'items' in schema)) return arrayRule(rules, schema, name, add)
  if (type === 'string') return stringRule(schema, add)
  if (type === 'integer' && boundsOf(schema).some((bound) => bound !== undefined))
    return add(`(${integerRange(...boundsOf(schema))})`)
  if (type === 'integer' || type === 'number' || type === 'boolean' || type === 'null') return type
  if (type === undefined) return add('value')
  throw new Error(`${name}: unrecognized type ${JSON.stringify(type)}`)
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const boundsOf = (schema: JsonSchema): [number | undefined, number | undefined] => [
  numberOf(schema['minimum']),
  numberOf(schema['maximum']),
]

function repetition(item: string, min: number, max: number | undefined, separator = ''): string {
  if (max === 0) return ''
  if (min === 0 && max === 1) return `${item}?`
  if (separator === '') {
    if (max === undefined && min <= 1) return `${item}${min === 1 ? '+' : '*'}`
    return `${item}{${min},${max ?? ''}}`
  }
  const all = `${item} ${repetition(`(${separator} ${item})`, Math.max(0, min - 1), max === undefined ? undefined : max - 1)}`
  return min === 0 ? `(${all})?` : all
}

function arrayRule(
  rules: Map<string, string>,
  schema: JsonSchema,
  name: string,
  add: (rule: string) => string,
): string {
  const [min, max] = [numberOf(schema['minItems']) ?? 0, numberOf(schema['maxItems'])]
  if (schema['items'] === undefined && min === 0 && max === undefined) return 'array'
  const item = visit(rules, schema['items'] ?? {}, `${name}-item`)
  return add(`"[" space ${repetition(item, min, max, '"," space')} space "]"`)
}

function stringRule(schema: JsonSchema, add: (rule: string) => string): string {
  const { pattern, format } = schema
  if (typeof pattern === 'string') return add(`"\\"" ("${pattern}") "\\""`)
  if (format === 'uuid') return 'uuid'
  if (format === 'date' || format === 'time' || format === 'date-time') return add(`${format}-string`)
  const [min, max] = [numberOf(schema['minLength']) ?? 0, numberOf(schema['maxLength'])]
  return min > 0 || max !== undefined ? add(`"\\"" ${repetition('char', min, max)} "\\""`) : 'string'
}

function objectRule(rules: Map<string, string>, schema: JsonSchema, name: string): string {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const free = schema['additionalProperties'] ?? !('properties' in schema)
  const names = Object.keys(properties)
  if (names.length === 0 && free === true) return 'object'
  const pairs = new Map<string, string>()
  for (const key of names)
    pairs.set(
      key,
      addRule(
        rules,
        `${name}-${key}-kv`,
        `${literal(key)} space ":" space ${visit(rules, properties[key], `${name}-${key}`)}`,
      ),
    )
  const required = names.filter((key) => Array.isArray(schema['required']) && schema['required'].includes(key))
  const optional = names.filter((key) => !required.includes(key))
  if (isRecord(free) || free === true) {
    if (names.length > 0) throw new Error(`${name}: free names beside known ones are not ported`)
    pairs.set(
      '*',
      addRule(rules, `${name}-additional-kv`, `string ":" space ${visit(rules, free, `${name}-additional-value`)}`),
    )
    optional.push('*')
  }
  if (pairs.size === 0) return '"{" space "}"'
  const pair = (key: string) => pairs.get(key) ?? ''
  const begun = required.map(pair).join(' "," space ')
  if (optional.length === 0) return `"{" space ${begun} space "}"`
  // Each optional name can be followed by later ones. One rule per remainder keeps the grammar's size linear.
  const rest = (at: number, isFirst: boolean): string => {
    const key = optional[at] ?? ''
    const another = `( "," space ${pair(key)} )${key === '*' ? '*' : '?'}`
    const own = isFirst ? `${pair(key)}${key === '*' ? ` ${another}` : ''}` : another
    return at + 1 === optional.length ? own : `${own} ${restRules[at] ?? ''}`
  }
  const restRules: string[] = []
  for (let at = optional.length - 2; at >= 0; at--)
    restRules[at] = addRule(rules, `${name}-${optional[at]}-rest`, rest(at + 1, false))
  const choices = optional.map((_, at) => rest(at, true)).join(' | ')
  return `"{" space ${begun} (${required.length > 0 ? ` "," space ( ${choices} )` : choices} )? space "}"`
}

// Port of `build_min_max_int` in llama.cpp's common/json-schema-to-grammar.cpp (MIT), for bounds within ±1e15.

const digits = (from: string | number, to: string | number): string =>
  String(from) === String(to) ? `[${from}]` : `[${from}-${to}]`

function moreDigits(min: number, max: number): string {
  if (min === max && min === 1) return '[0-9]'
  return `[0-9]{${min === max ? min : `${min},${max}`}}`
}

/** Returns the GBNF of an integer within bounds. @throws Error without a bound */
function integerRange(min: number | undefined, max: number | undefined, decimals = 16, isTop = true): string {
  if (min !== undefined && max !== undefined) return between(min, max, decimals)
  if (min !== undefined) return atLeast(min, decimals, isTop)
  if (max === undefined) throw new Error('An integer without bounds has no range.')
  if (max < 0) return `"-" (${integerRange(-max, undefined, decimals, false)})`
  const negative = isTop ? `"-" [1-9] ${moreDigits(0, Math.max(decimals - 1, 1))} | ` : ''
  return negative + integerRange(0, max, decimals)
}

function between(min: number, max: number, decimals: number): string {
  if (min < 0 && max < 0) return `"-" (${integerRange(-max, -min, decimals)})`
  if (min < 0) return `"-" (${integerRange(0, -min, decimals)}) | ${between(0, max, decimals)}`
  const parts: string[] = []
  let from = String(min)
  for (let length = from.length; length < String(max).length; length++) {
    parts.push(uniform(from, '9'.repeat(length)))
    from = `1${'0'.repeat(length)}`
  }
  return [...parts, uniform(from, String(max))].join(' | ')
}

function atLeast(min: number, decimals: number, isTop: boolean): string {
  const rest = Math.max(decimals - 1, 1)
  if (min < 0)
    return `"-" (${integerRange(undefined, -min, decimals, false)}) | [0] | [1-9] ${moreDigits(0, decimals - 1)}`
  if (min === 0) return isTop ? `[0] | [1-9] ${moreDigits(0, rest)}` : moreDigits(1, decimals)
  const first = isTop ? 1 : 0
  const [digit = '', length] = [String(min)[0], String(min).length]
  const lead = Number(digit)
  if (length === 1)
    return `${lead > first ? `${digits(first, lead - 1)} ${moreDigits(1, rest)} | ` : ''}${digits(lead, 9)} ${moreDigits(0, rest)}`
  const fewer = lead > 1 ? `${digits(first, lead - 1)} ${moreDigits(length, rest)} | ` : ''
  const more = lead < 9 ? ` | ${digits(lead + 1, 9)} ${moreDigits(length - 1, rest)}` : ''
  return `${fewer}${digits(lead, lead)} (${integerRange(Number(String(min).slice(1)), undefined, rest, false)})${more}`
}

/** Returns the GBNF of the numbers between two numbers with the same number of digits. */
function uniform(from: string, to: string): string {
  let same = 0
  while (same < from.length && from[same] === to[same]) same++
  const prefix = same > 0 ? `"${from.slice(0, same)}"` : ''
  if (same === from.length) return prefix
  const [low, high] = [Number(from[same]), Number(to[same])]
  const [lowRest, highRest] = [from.slice(same + 1), to.slice(same + 1)]
  const joined = (rest: string) => (prefix === '' ? rest : `${prefix} ${rest}`)
  if (lowRest === '') return joined(`[${low}-${high}]`)
  const [zeros, nines] = ['0'.repeat(lowRest.length), '9'.repeat(lowRest.length)]
  const any = moreDigits(lowRest.length, lowRest.length)
  const last = ` | ${digits(high, high)} ${uniform(zeros, highRest)}`
  if (lowRest === zeros) return joined(`(${digits(low, high - 1)} ${any}${last})`)
  const lowest = `[${low}] (${uniform(lowRest, nines)})`
  if (low >= high - 1) return joined(`(${lowest}${last})`)
  return joined(
    `(${lowest} | ${highRest === nines ? `${digits(low + 1, high)} ${any}` : `${digits(low + 1, high - 1)} ${any}${last}`})`,
  )
}
