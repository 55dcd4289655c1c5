import type { JsonSchema } from '../../../shared/tool.ts'
import { isRecord as isObject } from '../../model/transport/errorBody.ts'

// llama-server compiles the schemas of all offered tools into one grammar (GBNF), so one keyword that its converter or its grammar parser
// does not take fails every request with HTTP 400. Sources: llama.cpp `common/json-schema-to-grammar.cpp` (patterns without anchors, `\d`,
// unknown types and references elsewhere are errors) and `src/llama-grammar.cpp` (`MAX_REPETITION_THRESHOLD` 2000, and each bound becomes
// so many rules). What is left out here is checked all the same: the executor parses arguments with the whole schema.

/** Lists may be bounded by so many items; larger bounds are left out. */
const maxItemsBound = 64
/** Larger integer bounds only lengthen the grammar. */
const maxIntegerBound = 1_000_000_000
const maxDepth = 8
/** Parameters of one tool at all depths; those beyond are left out unless they are required. */
const maxParameters = 200
const maxAlternatives = 12
const maxEnumValues = 100
const maxDefaultLength = 200

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
/** Those that llama-server knows; every other string format is only a hint. */
const formats = ['date', 'time', 'date-time', 'uuid']

/**
 * A tool's parameters as every server's grammar compiler takes them. What a schema says and this form cannot say is left out, so the
 * form accepts every argument that the schema names and accepts. References are replaced by what they refer to.
 * @param schema of an object; anything else gives an object without known parameters
 */
export function grammarSafe(schema: JsonSchema): JsonSchema {
  const root = { schema, parameters: 0 }
  const safe = safeSchema(schema, root, 0, [])
  const properties = isObject(safe.properties) ? safe.properties : propertiesOfAlternatives(schema, root)
  return {
    type: 'object',
    properties,
    ...(Array.isArray(safe.required) && { required: safe.required }),
    ...described(schema),
    // A tool that says nothing of its parameters takes any.
    ...(Object.keys(properties).length === 0 &&
      schema.properties === undefined &&
      schema.additionalProperties !== false && { additionalProperties: true }),
  }
}

interface Root {
  /** For references into it. */
  schema: JsonSchema
  /** Counted so far. */
  parameters: number
}

/** @param refs references that are being followed: one that leads to itself ends in "anything" */
function safeSchema(given: unknown, root: Root, depth: number, refs: readonly string[]): JsonSchema {
  if (!isObject(given) || depth > maxDepth) return {}
  const safe = safeParts(given, root, depth, refs)
  // In the order of the schema, so that it reads as its author wrote it.
  const order = [...new Set([...Object.keys(given), ...Object.keys(safe)])].filter((key) => Object.hasOwn(safe, key))
  return Object.fromEntries(order.map((key) => [key, safe[key]]))
}

function safeParts(given: JsonSchema, root: Root, depth: number, refs: readonly string[]): JsonSchema {
  if (typeof given.$ref === 'string') {
    const target = refs.includes(given.$ref) ? undefined : resolve(given.$ref, root.schema)
    return { ...described(given), ...safeSchema(target, root, depth, [...refs, given.$ref]) }
  }
  const schema = merged(given)
  const hints = { ...described(schema), ...fallback(schema) }
  const values = enumOf(schema)
  if (values)
    return { ...typeOf(schema), ...hints, ...(schema.const === undefined ? { enum: values } : { const: schema.const }) }
  if (isObject(schema.properties))
    return { type: 'object', ...hints, ...objectParts(schema, schema.properties, root, depth, refs) }
  const alternatives = alternativesOf(schema, root, depth, refs)
  if (alternatives) return { ...hints, anyOf: alternatives }
  const { type } = typeOf(schema)
  if (type === undefined)
    return isObject(schema.items) ? { type: 'array', ...hints, ...arrayParts(schema, root, depth, refs) } : hints
  const parts: JsonSchema = { type, ...hints }
  if (type === 'array') return { ...parts, ...arrayParts(schema, root, depth, refs) }
  if (type === 'integer') return { ...parts, ...integerBounds(schema) }
  if (type === 'string') return { ...parts, ...stringParts(schema) }
  // Beside named parameters the converter writes their letters into character classes unescaped; alone they are safe.
  if (type === 'object' && isObject(schema.additionalProperties)) {
    return { ...parts, additionalProperties: safeSchema(schema.additionalProperties, root, depth + 1, refs) }
  }
  return parts
}

function described({ description }: JsonSchema): JsonSchema {
  return typeof description === 'string' ? { description } : {}
}

function fallback(schema: JsonSchema): JsonSchema {
  return schema.default !== undefined && JSON.stringify(schema.default).length <= maxDefaultLength
    ? { default: schema.default }
    : {}
}

function typeOf({ type }: JsonSchema): JsonSchema {
  if (typeof type === 'string') return types.includes(type) ? { type } : {}
  const known = Array.isArray(type)
    ? [...new Set(type.filter((each): each is string => types.includes(String(each))))]
    : []
  if (known.length === 0) return {}
  return { type: known.length === 1 ? known[0] : known }
}

/** `enum` and `const`; undefined where a value cannot stand in a grammar as it is. */
function enumOf(schema: JsonSchema): unknown[] | undefined {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (!Array.isArray(values) || values.length === 0 || values.length > maxEnumValues) return undefined
  return values.every((value) => typeof value !== 'object' || value === null) && values.every(isPlain)
    ? values
    : undefined
}

/** Escapes of JSON (backslashes, control characters) are read as escapes of the grammar once more. */
function isPlain(value: unknown): boolean {
  return !JSON.stringify(value).slice(1, -1).includes('\\')
}

function objectParts(
  schema: JsonSchema,
  properties: JsonSchema,
  root: Root,
  depth: number,
  refs: readonly string[],
): JsonSchema {
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name): name is string => typeof name === 'string')
    : []
  const kept: [string, JsonSchema][] = []
  for (const [name, property] of Object.entries(properties)) {
    if (!isPlain(name) || (root.parameters >= maxParameters && !required.includes(name))) continue
    root.parameters += 1
    kept.push([name, safeSchema(property, root, depth + 1, refs)])
  }
  const names = new Set(kept.map(([name]) => name))
  const demanded = [...new Set(required)].filter((name) => names.has(name))
  return { properties: Object.fromEntries(kept), ...(demanded.length > 0 && { required: demanded }) }
}

function arrayParts(schema: JsonSchema, root: Root, depth: number, refs: readonly string[]): JsonSchema {
  if (!isObject(schema.items)) return {}
  const { minItems, maxItems } = schema
  const max = isCount(maxItems) && maxItems > 0 && maxItems <= maxItemsBound ? maxItems : undefined
  const min =
    isCount(minItems) && minItems > 0 && minItems <= Math.min(maxItemsBound, max ?? Infinity) ? minItems : undefined
  return {
    items: safeSchema(schema.items, root, depth + 1, refs),
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
  }
}

function integerBounds(schema: JsonSchema): JsonSchema {
  const bound = (value: unknown, by: number) =>
    typeof value === 'number' && Math.abs(value) < maxIntegerBound ? value + by : undefined
  const min = bound(schema.minimum, 0) ?? bound(schema.exclusiveMinimum, 1)
  const max = bound(schema.maximum, 0) ?? bound(schema.exclusiveMaximum, -1)
  if (min !== undefined && max !== undefined && min > max) return {}
  return {
    ...(min !== undefined && { minimum: Math.ceil(min) }),
    ...(max !== undefined && { maximum: Math.floor(max) }),
  }
}

/** Not a pattern, and no longest length: each of its characters would be a rule. */
function stringParts({ minLength, format }: JsonSchema): JsonSchema {
  return {
    ...(minLength === 1 && { minLength }),
    ...(typeof format === 'string' && formats.includes(format) && { format }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function alternativesOf(
  schema: JsonSchema,
  root: Root,
  depth: number,
  refs: readonly string[],
): JsonSchema[] | undefined {
  const given = listOf(schema.anyOf) ?? listOf(schema.oneOf)
  if (!given || given.length > maxAlternatives) return undefined
  const safe = given.map((each) => safeSchema(each, root, depth + 1, refs))
  // One that says nothing accepts anything, and the others with it.
  return safe.every(
    (each) =>
      each.type !== undefined || each.enum !== undefined || each.const !== undefined || each.anyOf !== undefined,
  )
    ? safe
    : undefined
}

/** The parts of `allOf` laid over each other, as far as they describe an object together; else the first that says a type. */
function merged(schema: JsonSchema): JsonSchema {
  const parts = listOf(schema.allOf)?.filter(isObject)
  if (!parts) return schema
  const { allOf: _, ...own } = schema
  const all = [own, ...parts.map(merged)]
  const properties = Object.assign(
    {},
    ...all.map((part) => (isObject(part.properties) ? part.properties : {})),
  ) as JsonSchema
  const required = all.flatMap((part) => (Array.isArray(part.required) ? (part.required as unknown[]) : []))
  const base = Object.assign({}, ...all.toReversed()) as JsonSchema
  return Object.keys(properties).length === 0 ? base : { ...base, properties, required }
}

/** An object that is described only by alternatives: their parameters, none of them required. */
function propertiesOfAlternatives(schema: JsonSchema, root: Root): JsonSchema {
  const alternatives = listOf(schema.anyOf) ?? listOf(schema.oneOf) ?? []
  const safe = alternatives.map((each) => safeSchema(each, root, 1, []).properties).filter(isObject)
  return Object.assign({}, ...safe) as JsonSchema
}

function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined
}

/** What a reference into the same schema names; nothing elsewhere is read. */
function resolve(ref: string, schema: JsonSchema): unknown {
  if (ref === '#') return schema
  if (!ref.startsWith('#/')) return undefined
  let target: unknown = schema
  for (const step of ref.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined
  }
  return target
}
