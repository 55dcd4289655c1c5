import fc from 'fast-check'
import { z } from 'zod'
import { testSeed } from '../../testing/longForm.ts'

// Samples of what windows and main send each other, generated from the schemas.

/** Characters that a transport could change: control characters, halves of pairs, quotes and separators. */
const character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom('a', '\0', '\u001b', '\ud800', '\udc00', '"', '\\', '\r', '\u2028', '\ufeff'),
)
/** Texts that the refinements of schemas accept, which a generator does not find: a file name and addresses. */
const refinedTexts = fc.constantFrom('snippets/python.json', 'https://example.org')

const jsonValue = fc.jsonValue({ stringUnit: character })
/** Any JSON value, or none. */
export const jsonValues = fc.option(jsonValue, { nil: undefined })
export const jsonObjects = fc.dictionary(fc.string({ unit: character }), jsonValue)

/** Returns an arbitrary of the values that `schema` accepts. Knows the kinds of schemas that the protocol uses. */
function accepted(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  // Zod's own lists of all kinds of schemas and checks.
  const { def } = (schema as z.core.$ZodTypes)._zod
  const checks = (def.checks ?? []).map((check) => (check as z.core.$ZodChecks)._zod.def)
  const bounds = {
    minLength: 0,
    maxLength: 4,
    min: 0,
    max: 1000,
    integer: false,
    pattern: undefined as RegExp | undefined,
  }
  for (const check of checks) {
    if (check.check === 'min_length') Object.assign(bounds, { minLength: check.minimum, maxLength: check.minimum + 4 })
    if (check.check === 'greater_than') bounds.min = Number(check.value)
    if (check.check === 'less_than') bounds.max = Number(check.value)
    if (check.check === 'number_format') bounds.integer = true
    if (check.check === 'string_format') bounds.pattern = check.pattern
  }
  const { minLength, maxLength, min, max, pattern } = bounds
  const valid = <T>(values: fc.Arbitrary<T>) => values.filter((value) => z.safeParse(schema, value).success)
  switch (def.type) {
    case 'string': {
      const texts = pattern ? fc.stringMatching(pattern) : fc.string({ unit: character, minLength, maxLength })
      return valid(fc.oneof(texts, refinedTexts))
    }
    case 'number':
      return valid(bounds.integer ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true }))
    case 'boolean':
      return fc.boolean()
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries))
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'nullable':
      return fc.option(accepted(def.innerType), { nil: null })
    case 'optional':
    case 'default':
      return accepted(def.innerType)
    case 'array':
      return valid(fc.array(accepted(def.element), { minLength, maxLength }))
    case 'record':
      return valid(
        fc.dictionary(accepted(def.keyType) as fc.Arbitrary<string>, accepted(def.valueType), { maxKeys: 3 }),
      )
    case 'object': {
      const fields = Object.entries(def.shape)
      return valid(
        fc.record(Object.fromEntries(fields.map(([name, field]) => [name, accepted(field)])), {
          requiredKeys: fields.filter(([, { _zod }]) => _zod.optin === undefined).map(([name]) => name),
        }),
      )
    }
    case 'union':
      return fc.oneof(...def.options.map(accepted))
    // A transformation of the input, then the schema of its output.
    case 'pipe':
      return accepted(def.in._zod.def.type === 'transform' ? def.out : def.in)
    case 'lazy':
      return accepted(def.getter())
    case 'unknown':
      return jsonValue
    default:
      throw new Error(`Samples of zod's ${def.type} are not supported yet.`)
  }
}

/** Returns values, as JSON transfers them, the same ones in each run of a seed. */
export function samplesOf(values: z.core.$ZodType | fc.Arbitrary<unknown>, count = 3): unknown[] {
  const arbitrary = values instanceof fc.Arbitrary ? values : accepted(values)
  return fc
    .sample(arbitrary, { seed: testSeed, numRuns: count })
    .map((value): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value))))
}

/** The parts that schemas of several kinds have. */
type Parts = Partial<{
  type: string
  shape: Readonly<Record<string, z.core.$ZodType>>
  options: readonly z.core.$ZodType[]
  element: z.core.$ZodType
  valueType: z.core.$ZodType
  innerType: z.core.$ZodType
  out: z.core.$ZodType
  defaultValue: unknown
}>

/** Returns the default values in a schema, by the path of their field. */
export function defaultsOf(schema: z.core.$ZodType, at = ''): Record<string, unknown> {
  const parts: Parts = schema._zod.def
  const { shape = {}, options = [], element, valueType, innerType, out } = parts
  const fields = Object.entries(shape).map(([name, field]) => defaultsOf(field, `${at}.${name}`))
  const inner = [...options, element, valueType, innerType, out].map((part) => (part ? defaultsOf(part, at) : {}))
  return Object.assign('defaultValue' in parts ? { [at]: parts.defaultValue } : {}, ...fields, ...inner)
}
