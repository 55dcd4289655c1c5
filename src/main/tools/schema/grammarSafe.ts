import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { isRecord as isObject } from '../../model/transport/errorBody.ts'

// llama-server compiles the schemas of all offered tools into one grammar (GBNF). One unsupported keyword fails every
// request with HTTP 400. Sources: llama.cpp `common/json-schema-to-grammar.cpp` (patterns without anchors, `\d`,
// unknown types and external references are errors) and `src/llama-grammar.cpp` (`MAX_REPETITION_THRESHOLD` is 2000,
// and a bound of n becomes n rules). Omitted keywords are still enforced, because the executor validates with the whole
// schema.

/** Largest bound on the items of a list. Larger bounds are omitted. */
const maxItemsBound = 64
/** Bounds on integers from this magnitude are omitted, because they only lengthen the grammar. */
const maxIntegerBound = 1_000_000_000
const maxDepth = 8
/** Maximum parameters of a tool at all depths. Further ones are omitted unless they are required. */
const maxParameters = 200
const maxAlternatives = 12
const maxEnumValues = 100
const maxDefaultLength = 200

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
/** String formats that llama-server supports. Others are only hints and are omitted. */
const formats = ['date', 'time', 'date-time', 'uuid']

/**
 * Converts a tool's parameters to the subset of JSON Schema that all servers can compile. Unsupported constraints are
 * omitted, so the result accepts all arguments that the schema accepts. References are resolved.
 * @param schema schema of an object; other schemas become an object without known parameters
 */
export function grammarSafeSchema(schema: JsonSchema): JsonSchema {
  const root = { schema, parameters: 0 }
  const safe = safeSchema(schema, root, 0, [])
  const properties = isObject(safe.properties) ? safe.properties : propertiesOfAlternatives(schema, root)
  return {
    type: 'object',
    properties,
    ...(Array.isArray(safe.required) && { required: safe.required }),
    ...descriptionOf(schema),
    // A schema without information about parameters allows all.
    ...(Object.keys(properties).length === 0 &&
      schema.properties === undefined &&
      schema.additionalProperties !== false && { additionalProperties: true }),
  }
}

interface SchemaContext {
  /** The whole schema, to resolve references. */
  schema: JsonSchema
  /** Number of parameters converted so far. */
  parameters: number
}

/** @param refs references that are being resolved. A circular one becomes an empty schema, which accepts everything. */
function safeSchema(given: unknown, root: SchemaContext, depth: number, refs: readonly string[]): JsonSchema {
  if (!isObject(given) || depth > maxDepth) return {}
  const safe = safeKeywords(given, root, depth, refs)
  // Keeps the order of keywords in the schema.
  const order = [...new Set([...Object.keys(given), ...Object.keys(safe)])].filter((key) => Object.hasOwn(safe, key))
  return Object.fromEntries(order.map((key) => [key, safe[key]]))
}

function safeKeywords(given: JsonSchema, root: SchemaContext, depth: number, refs: readonly string[]): JsonSchema {
  if (typeof given.$ref === 'string') {
    const target = refs.includes(given.$ref) ? undefined : resolve(given.$ref, root.schema)
    return { ...descriptionOf(given), ...safeSchema(target, root, depth, [...refs, given.$ref]) }
  }
  const schema = mergeAllOf(given)
  const hints = { ...descriptionOf(schema), ...defaultOf(schema) }
  const values = enumOf(schema)
  if (values)
    return { ...typeOf(schema), ...hints, ...(schema.const === undefined ? { enum: values } : { const: schema.const }) }
  if (isObject(schema.properties))
    return { type: 'object', ...hints, ...objectKeywords(schema, schema.properties, root, depth, refs) }
  const alternatives = alternativesOf(schema, root, depth, refs)
  if (alternatives) return { ...hints, anyOf: alternatives }
  const { type } = typeOf(schema)
  if (type === undefined)
    return isObject(schema.items) ? { type: 'array', ...hints, ...arrayKeywords(schema, root, depth, refs) } : hints
  const parts: JsonSchema = { type, ...hints }
  if (type === 'array') return { ...parts, ...arrayKeywords(schema, root, depth, refs) }
  if (type === 'integer') return { ...parts, ...integerBounds(schema) }
  if (type === 'string') return { ...parts, ...stringKeywords(schema) }
  // Only without named parameters, because the converter would write their names unescaped into character classes.
  if (type === 'object' && isObject(schema.additionalProperties)) {
    return { ...parts, additionalProperties: safeSchema(schema.additionalProperties, root, depth + 1, refs) }
  }
  return parts
}

function descriptionOf({ description }: JsonSchema): JsonSchema {
  return typeof description === 'string' ? { description } : {}
}

function defaultOf(schema: JsonSchema): JsonSchema {
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

/** Returns the values of `enum` or `const`. Undefined if there are none, or if a grammar cannot contain one of them. */
function enumOf(schema: JsonSchema): unknown[] | undefined {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (!Array.isArray(values) || values.length === 0 || values.length > maxEnumValues) return undefined
  return values.every((value) => typeof value !== 'object' || value === null) && values.every(isPlain)
    ? values
    : undefined
}

/** Returns whether a value has no JSON escapes, which the grammar would interpret a second time. */
function isPlain(value: unknown): boolean {
  return !JSON.stringify(value).slice(1, -1).includes('\\')
}

function objectKeywords(
  schema: JsonSchema,
  properties: JsonSchema,
  root: SchemaContext,
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

function arrayKeywords(schema: JsonSchema, root: SchemaContext, depth: number, refs: readonly string[]): JsonSchema {
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

/** Omits patterns, and maximum lengths, because each character would become a rule. */
function stringKeywords({ minLength, format }: JsonSchema): JsonSchema {
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
  root: SchemaContext,
  depth: number,
  refs: readonly string[],
): JsonSchema[] | undefined {
  const given = listOf(schema.anyOf) ?? listOf(schema.oneOf)
  if (!given || given.length > maxAlternatives) return undefined
  const safe = given.map((each) => safeSchema(each, root, depth + 1, refs))
  // An alternative without constraints accepts everything, so the other alternatives have no effect.
  return safe.every(
    (each) =>
      each.type !== undefined || each.enum !== undefined || each.const !== undefined || each.anyOf !== undefined,
  )
    ? safe
    : undefined
}

/**
 * Merges `allOf` into the schema: properties and required names are combined; for other keywords the first value wins.
 */
function mergeAllOf(schema: JsonSchema): JsonSchema {
  const parts = listOf(schema.allOf)?.filter(isObject)
  if (!parts) return schema
  const { allOf: _, ...own } = schema
  const all = [own, ...parts.map(mergeAllOf)]
  const properties = Object.assign(
    {},
    ...all.map((part) => (isObject(part.properties) ? part.properties : {})),
  ) as JsonSchema
  const required = all.flatMap((part) => (Array.isArray(part.required) ? (part.required as unknown[]) : []))
  const base = Object.assign({}, ...all.toReversed()) as JsonSchema
  return Object.keys(properties).length === 0 ? base : { ...base, properties, required }
}

/** Returns the parameters of all alternatives, for a schema that has only alternatives. */
function propertiesOfAlternatives(schema: JsonSchema, root: SchemaContext): JsonSchema {
  const alternatives = listOf(schema.anyOf) ?? listOf(schema.oneOf) ?? []
  const safe = alternatives.map((each) => safeSchema(each, root, 1, []).properties).filter(isObject)
  return Object.assign({}, ...safe) as JsonSchema
}

function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined
}

/** Resolves a reference into the same schema. External references are not read. */
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
