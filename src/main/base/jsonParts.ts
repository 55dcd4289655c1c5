import { parse as parseJson, printParseErrorCode, visit, type ParseError } from 'jsonc-parser'
import type { z } from 'zod'
import { asSentence } from './asSentence.ts'

/** A part of a JSON file that is ignored. */
export interface FileProblem {
  /** Keys and indexes; empty for the whole file. */
  path: readonly (string | number)[]
  why: string
}

/** An invalid part and its value in the file. */
export interface DroppedPart extends FileProblem {
  raw: unknown
  /** The mistake itself, if it is nested inside the part. */
  mistake?: string
}

/** Explains to the user why part of a file is ignored. */
export function problemText({ path, mistake, why }: DroppedPart): string {
  return `${mistake ?? path.join('.')}: ${asSentence(why)}`
}

/** The data of a JSON text, or as a clause why it cannot be read. */
export type ParsedJson<T> = { data: T; dropped: DroppedPart[]; unreadable?: undefined } | { unreadable: string }

/** Maximum number of invalid parts that are dropped. */
const maxDropped = 1000

/**
 * Parses JSON and drops invalid parts. Accepts comments, trailing commas and a byte order mark. If an object repeats
 * a key, the last one applies, and the key is reported.
 */
export function parseJsonParts<Schema extends z.ZodType>(text: string, schema: Schema): ParsedJson<z.output<Schema>> {
  try {
    return parseParts(text.replace(/^\uFEFF/, ''), schema)
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) return { unreadable: 'it is nested too deeply' }
    throw error
  }
}

function parseParts<Schema extends z.ZodType>(text: string, schema: Schema): ParsedJson<z.output<Schema>> {
  const errors: ParseError[] = []
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined)
    return {
      unreadable: `${printParseErrorCode(error.error)} in line ${text.slice(0, error.offset).split('\n').length}`,
    }
  const dropped: DroppedPart[] = repeatedKeys(text)
  let changes = 0
  /** Records a dropped part. Invalid values removed from inside it earlier are put back. */
  const add = (part: DroppedPart) => {
    const { length } = part.path
    const isInside = ({ path }: DroppedPart) => path.length > length && part.path.every((key, at) => path[at] === key)
    for (const inner of dropped.filter(isInside)) {
      const parent = valueAt(part.raw, inner.path.slice(length, -1))
      if (isContainer(parent) && !Array.isArray(parent)) parent[inner.path.at(-1) ?? ''] = inner.raw
      part.mistake = inner.mistake ?? inner.path.join('.')
      part.why = inner.why
    }
    dropped.splice(0, dropped.length, ...dropped.filter((each) => !isInside(each)), part)
    changes++
  }
  for (;;) {
    const parsed = schema.safeParse(value)
    if (parsed.success) return { data: parsed.data, dropped }
    const before = changes
    /** Parts removed in this round. Further mistakes inside them need no action. */
    const gone: (readonly PropertyKey[])[] = []
    // From the end, so that removing an item does not shift the remaining indexes.
    for (const { path, message } of parsed.error.issues.toReversed().flatMap(unknownKeys)) {
      if (gone.some((removed) => removed.every((key, at) => path[at] === key))) continue
      const keys = path.filter((key) => typeof key !== 'symbol')
      const part = drop(value, keys)
      if (part === undefined) continue
      gone.push(part.path)
      add({ ...part, why: message, ...(keys.length > part.path.length && { mistake: keys.join('.') }) })
    }
    if (changes === before || changes > maxDropped)
      return { unreadable: parsed.error.issues[0]?.message ?? 'it does not have the expected structure' }
  }
}

/** Splits an issue about several unknown keys into one issue each. */
function unknownKeys(issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, 'path' | 'message'>[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'it is not a setting' }))
}

/**
 * Removes an invalid value, or the object that lacks a required one.
 * @returns undefined if that is the whole file
 */
function drop(value: unknown, path: readonly (string | number)[]): Omit<DroppedPart, 'why'> | undefined {
  for (let length = path.length; length > 0; length--) {
    const parent = valueAt(value, path.slice(0, length - 1))
    const key = path[length - 1]
    if (key === undefined || !isContainer(parent) || !Object.hasOwn(parent, key)) continue
    const raw = parent[key]
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
    return { path: path.slice(0, length), raw }
  }
  return undefined
}

/** Returns the repeated keys of objects. The last one applies, as in every JSON parser. */
export function repeatedKeys(text: string): DroppedPart[] {
  const found: DroppedPart[] = []
  const seen: Set<string>[] = []
  visit(
    text,
    {
      onObjectBegin: () => void seen.push(new Set()),
      onObjectEnd: () => void seen.pop(),
      onObjectProperty: (property, _offset, _length, _line, _character, pathSupplier) => {
        const keys = seen.at(-1)
        if (keys?.has(property))
          found.push({
            path: [...pathSupplier(), property],
            why: 'it is repeated, and the last one applies',
            raw: undefined,
          })
        keys?.add(property)
      },
    },
    { allowTrailingComma: true },
  )
  return found
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (isContainer(inner) ? inner[key] : undefined), value)
}

/** Whether a value is an object or an array. */
function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null
}
