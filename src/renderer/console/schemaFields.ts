import type { JsonSchema } from '../../shared/tools/tool.ts'

interface FieldBase {
  name: string
  description: string
  required: boolean
  /** Value that main uses if the field is omitted. Shown as the placeholder. */
  defaultValue?: unknown
}

/** A form field derived from a JSON Schema. Kind `json` is a value of any other type, entered as JSON text. */
export type Field = FieldBase &
  (
    | { kind: 'string' | 'number' | 'integer' | 'boolean' | 'json' }
    | { kind: 'enum'; options: readonly (string | number)[] }
    | { kind: 'array'; item: Field }
    | { kind: 'object'; fields: readonly Field[] }
  )

/**
 * Input of a field: text (also for numbers and JSON), a checkbox, rows or a group. Undefined if the user entered
 * nothing.
 */
export type Draft = string | boolean | readonly Draft[] | { readonly [name: string]: Draft | undefined }

export interface FieldProblem {
  /** Path of the field, for example `patches.0.old_text`. */
  path: string
  message: string
}

export interface FieldResult {
  /** Undefined if the field is omitted or invalid. */
  value?: unknown
  problems: FieldProblem[]
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Derives the form fields from the JSON Schema of a tool: required fields first, otherwise in schema order. */
export function fieldsOf(schema: JsonSchema): Field[] {
  return propertiesOf(schema, schema).toSorted((a, b) => Number(b.required) - Number(a.required))
}

function propertiesOf(schema: JsonSchema, root: JsonSchema): Field[] {
  if (!isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, property]) => {
    const resolved = resolve(isObject(property) ? property : {}, root)
    // Zod lists fields with a default as required, but callers may omit them.
    return fieldOf(name, resolved, root, required.includes(name) && resolved.default === undefined)
  })
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (typeof schema.$ref === 'string') {
    let target: unknown = root
    for (const part of schema.$ref.split('/').slice(1)) target = isObject(target) ? target[part] : undefined
    return isObject(target) ? { ...target, ...without(schema, '$ref') } : {}
  }
  // Treat `T | null` as T.
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) {
    const real = choices.filter((choice) => isObject(choice) && choice.type !== 'null')
    const only: unknown = real[0]
    if (real.length === 1 && isObject(only)) return { ...resolve(only, root), ...without(schema, 'anyOf', 'oneOf') }
  }
  return schema
}

function without(schema: JsonSchema, ...keys: string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)))
}

function fieldOf(name: string, schema: JsonSchema, root: JsonSchema, required: boolean): Field {
  const base: FieldBase = {
    name,
    description: typeof schema.description === 'string' ? schema.description : '',
    required,
    ...(schema.default !== undefined && { defaultValue: schema.default }),
  }
  const options = Array.isArray(schema.enum)
    ? schema.enum.filter((option) => typeof option === 'string' || typeof option === 'number')
    : []
  if (options.length > 0) return { ...base, kind: 'enum', options }
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return { ...base, kind: schema.type }
    case 'array': {
      const item = resolve(isObject(schema.items) ? schema.items : {}, root)
      return { ...base, kind: 'array', item: fieldOf('', item, root, true) }
    }
    case 'object': {
      const fields = propertiesOf(schema, root)
      return fields.length > 0 ? { ...base, kind: 'object', fields } : { ...base, kind: 'json' }
    }
    default:
      return { ...base, kind: 'json' }
  }
}

/** Converts form input to arguments, with a problem for each invalid field. Main validates the arguments again. */
export function readFields(
  fields: readonly Field[],
  draft: Draft | undefined,
  prefix = '',
): { value: Record<string, unknown>; problems: FieldProblem[] } {
  const value: Record<string, unknown> = {}
  const problems: FieldProblem[] = []
  for (const field of fields) {
    const read = readField(field, draftOfName(draft, field.name), `${prefix}${field.name}`)
    if (read.value !== undefined) value[field.name] = read.value
    problems.push(...read.problems)
  }
  return { value, problems }
}

function draftOfName(draft: Draft | undefined, name: string): Draft | undefined {
  return isGroup(draft) ? draft[name] : undefined
}

export function isGroup(draft: Draft | undefined): draft is { readonly [name: string]: Draft | undefined } {
  return typeof draft === 'object' && !Array.isArray(draft)
}

export function isRows(draft: Draft | undefined): draft is readonly Draft[] {
  return Array.isArray(draft)
}

function readField(field: Field, draft: Draft | undefined, path: string): FieldResult {
  switch (field.kind) {
    case 'boolean':
      return typeof draft === 'boolean'
        ? validResult(draft)
        : field.required
          ? validResult(false)
          : validResult(undefined)
    case 'array': {
      const rows = isRows(draft) ? draft : []
      if (rows.length === 0) return validResult(field.required ? [] : undefined)
      const read = rows.map((row, index) => readField(field.item, row, `${path}.${index}`))
      return { value: read.map(({ value }) => value), problems: read.flatMap(({ problems }) => problems) }
    }
    case 'object': {
      if (!field.required && isUntouched(draft)) return validResult(undefined)
      return readFields(field.fields, draft, `${path}.`)
    }
    default:
      return readText(field, typeof draft === 'string' ? draft : '', path)
  }
}

function readText(field: Field, text: string, path: string): FieldResult {
  // A required string may be empty, for example to write an empty file.
  if (field.kind === 'string') return text === '' && !field.required ? validResult(undefined) : validResult(text)
  if (text.trim() === '')
    return field.required ? invalidResult(path, 'Enter a value. This field is required.') : validResult(undefined)
  if (field.kind === 'enum') {
    const option = field.options.find((each) => String(each) === text)
    return option === undefined ? invalidResult(path, 'Choose one of the options.') : validResult(option)
  }
  if (field.kind === 'json') {
    try {
      return validResult(JSON.parse(text))
    } catch (error) {
      return invalidResult(path, `Invalid JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const number = Number(text)
  if (!Number.isFinite(number)) return invalidResult(path, 'Enter a number.')
  if (field.kind === 'integer' && !Number.isInteger(number)) return invalidResult(path, 'Enter a whole number.')
  return validResult(number)
}

function validResult(value: unknown): FieldResult {
  return { value, problems: [] }
}

function invalidResult(path: string, message: string): FieldResult {
  return { problems: [{ path, message }] }
}

function isUntouched(draft: Draft | undefined): boolean {
  if (draft === undefined || draft === '' || draft === false) return true
  if (isRows(draft)) return draft.length === 0
  return isGroup(draft) && Object.values(draft).every(isUntouched)
}

/** Converts arguments to form input, for example after the user edited them as JSON. */
export function draftOf(fields: readonly Field[], value: unknown): Draft {
  const values = isObject(value) ? value : {}
  return Object.fromEntries(
    fields.flatMap((field) =>
      values[field.name] === undefined ? [] : [[field.name, draftOfField(field, values[field.name])]],
    ),
  )
}

function draftOfField(field: Field, value: unknown): Draft {
  switch (field.kind) {
    case 'boolean':
      return value === true
    case 'array':
      return Array.isArray(value) ? value.map((item) => draftOfField(field.item, item)) : []
    case 'object':
      return draftOf(field.fields, value)
    case 'json':
      return JSON.stringify(value, null, 2)
    default:
      return typeof value === 'string' ? value : JSON.stringify(value)
  }
}
