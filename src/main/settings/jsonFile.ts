import { randomUUID } from 'node:crypto'
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parse as parseJson, printParseErrorCode, visit, type ParseError } from 'jsonc-parser'
import type { z } from 'zod'
import { asSentence } from '../../shared/asSentence.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { ToolError, type ToolErrorCode } from '../../shared/errors.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import { pathLocks } from '../base/pathLocks.ts'

/** A part of a JSON file that is not used. */
export interface FileProblem {
  /** Keys and indexes; empty for the whole file. */
  path: readonly (string | number)[]
  why: string
}

/** A small JSON file in the user data folder. Only the user can read it. */
export interface JsonFile<T> {
  /** The latest value that was read or written. */
  readonly value: T
  /** What of the file is not used. */
  readonly problems: readonly FileProblem[]
  /**
   * Applies a change and writes the file. Changes run one after another, even across processes, and each sees the
   * result of the previous one. Parts of the file that are not used are kept, unless the change replaces them.
   * @throws ToolError `conflict` if another process keeps the file locked, or if the file cannot be read as JSON
   */
  update(change: (value: T) => T): Promise<T>
  /**
   * Reads the file again. A file that is no JSON, for example a partly written one, is ignored.
   * @returns whether the value or the problems changed
   */
  reload(): Promise<boolean>
}

/** How to open a file. */
export interface JsonFileOptions {
  /**
   * Whether a file that is no JSON may be replaced, because Tizona alone writes it. It is renamed to `NAME.broken`.
   * Default: it stays, and changes fail until the user corrects it.
   */
  replaceable?: boolean
}

/**
 * Reads and validates a JSON file. Comments, trailing commas and a byte order mark are accepted. Invalid parts are left
 * out, and `onProblem` receives what and why; the file stays as it is. `fallback` is used for a file that is no JSON.
 * @throws ToolError if the file exists but cannot be read or renamed; from `update` if it cannot be written
 */
export async function openJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fallback: z.input<Schema>,
  onProblem: (reason: string) => void,
  { replaceable = false }: JsonFileOptions = {},
): Promise<JsonFile<z.output<Schema>>> {
  let value = schema.parse(fallback)
  let dropped: readonly DroppedPart[] = []
  /** Why the file on disk cannot be read as JSON. */
  let unreadable: string | undefined
  const operations = new Sequencer()
  const read = () => withFileErrors(`read ${path}`, () => parseFile(path, schema))

  const first = await read()
  if (first?.unreadable !== undefined && replaceable) {
    await withFileErrors(`rename ${path}`, () => rename(path, `${path}.broken`))
    onProblem(`${path} could not be used (${first.unreadable}). It was kept as ${path}.broken, and defaults are used.`)
  } else take(first, true)

  function take(found: ParsedFile<z.output<Schema>> | undefined, isFirst = false): void {
    const before = problemTexts().join()
    unreadable = found?.unreadable
    if (found?.unreadable !== undefined && isFirst) dropped = []
    if (found?.unreadable === undefined && found !== undefined) {
      value = found.data
      dropped = found.dropped
    } else if (found === undefined) dropped = []
    const problems = problemTexts()
    if (problems.length > 0 && problems.join() !== before)
      onProblem(`${path} is used only in part. ${problems.join(' ')} The file was not changed. Correct it there.`)
  }

  function problemTexts(): string[] {
    if (unreadable !== undefined) return [`It cannot be read (${unreadable}).`]
    return dropped.map(({ path: place, mistake, why }) => `${mistake ?? place.join('.')}: ${asSentence(why)}`)
  }

  return {
    get value() {
      return value
    },
    get problems() {
      return unreadable === undefined ? dropped : [{ path: [], why: unreadable }, ...dropped]
    },
    update(change) {
      return operations.queue(async () => {
        const locked = await withFileErrors(`write ${path}`, () => lockPathOf(path))
        return pathLocks.run([locked], async () => {
          take(await read())
          if (unreadable !== undefined)
            throw new ToolError(
              'conflict',
              `${path} was not changed, because it cannot be read (${unreadable}).`,
              'Correct or delete the file, then try again.',
            )
          const changed = schema.parse(change(value))
          const kept = withDropped(changed, value, dropped)
          await withFileErrors(`write ${path}`, () => writeAtomically(path, `${JSON.stringify(kept.value, null, 2)}\n`))
          value = changed
          dropped = kept.dropped
          return changed
        })
      })
    },
    reload: () =>
      operations.queue(async () => {
        const before = JSON.stringify([value, dropped, unreadable])
        const found = await read()
        // Another program may be writing the file.
        if (found?.unreadable === undefined) take(found)
        return JSON.stringify([value, dropped, unreadable]) !== before
      }),
  }
}

/** An invalid part with its value in the file. */
interface DroppedPart extends FileProblem {
  raw: unknown
  /** The mistake in it, if that is deeper. */
  mistake?: string
}

/** Adds the invalid parts to a value that is written, except those that the change replaced. */
function withDropped(
  changed: unknown,
  before: unknown,
  dropped: readonly DroppedPart[],
): { value: unknown; dropped: DroppedPart[] } {
  const value = structuredClone(changed)
  const kept = dropped.filter(({ path, raw }) => {
    const key = path.at(-1)
    const parent = valueAt(value, path.slice(0, -1))
    if (key === undefined || raw === undefined || typeof parent !== 'object' || parent === null) return false
    if (Array.isArray(parent)) {
      parent.push(raw)
      return true
    }
    if (JSON.stringify(valueAt(changed, path)) !== JSON.stringify(valueAt(before, path))) return false
    Object.defineProperty(parent, key, { value: raw, enumerable: true, configurable: true, writable: true })
    return true
  })
  return { value, dropped: kept }
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (isContainer(inner) ? inner[key] : undefined), value)
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null
}

const diskFull = [
  'no_space',
  'the disk is full',
  'Free space on that disk, then try again. The file was not changed.',
] as const
const notPermitted = [
  'permission_denied',
  'the operating system does not permit it',
  'Change the permissions of the file and its folder, then try again.',
] as const
const causes: Readonly<Record<string, readonly [code: ToolErrorCode, why: string, next: string]>> = {
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: notPermitted,
}

/** Runs a step and converts system errors to a `ToolError` with the cause and what to do. */
async function withFileErrors<T>(action: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error
    const [code, why, next] = causes[String(error.code)] ?? [
      'io_error',
      `the system reports ${String(error.code)}`,
      'Check the disk, then try again.',
    ]
    throw new ToolError(code, `Could not ${action}: ${why}.`, next, { cause: error })
  }
}

type ParsedFile<T> = { data: T; dropped: DroppedPart[]; unreadable?: undefined } | { unreadable: string }

/** Maximum size of a file in bytes. */
const maxSize = 32 * 1024 * 1024
/** Maximum number of invalid parts that are left out. */
const maxDropped = 1000

/** Reads a file; undefined if it does not exist. */
async function parseFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<ParsedFile<z.output<Schema>> | undefined> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > maxSize) return { unreadable: `it is larger than ${maxSize / 1024 / 1024} MB` }
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    return parseText(text.replace(/^\uFEFF/, ''), schema)
  } catch (error) {
    // The parser is recursive.
    if (error instanceof RangeError) return { unreadable: 'it is nested too deeply' }
    throw error
  }
}

function parseText<Schema extends z.ZodType>(text: string, schema: Schema): ParsedFile<z.output<Schema>> {
  const errors: ParseError[] = []
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined)
    return {
      unreadable: `${printParseErrorCode(error.error)} in line ${text.slice(0, error.offset).split('\n').length}`,
    }
  const dropped: DroppedPart[] = repeatedKeys(text)
  let changes = 0
  /** Adds a part. Invalid values that were removed from it before return into it. */
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
    /** Parts that were removed in this round. Further mistakes in them count as removed. */
    const gone: (readonly PropertyKey[])[] = []
    // From the end, so that the indexes of the others stay.
    for (const { path, message } of parsed.error.issues.toReversed()) {
      if (gone.some((removed) => removed.every((key, at) => path[at] === key))) continue
      const keys = path.filter((key) => typeof key !== 'symbol')
      const part = drop(value, keys)
      if (part === undefined) continue
      gone.push(part.path)
      add({ ...part, why: message, ...(keys.length > part.path.length && { mistake: keys.join('.') }) })
    }
    if (changes === before || changes > maxDropped)
      return { unreadable: parsed.error.issues[0]?.message ?? 'it has a different form' }
  }
}

/**
 * Removes an invalid value. If it is missing, removes what should contain it.
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

/** Returns the keys that an object has twice. The last one applies, as in all programs that read JSON. */
function repeatedKeys(text: string): DroppedPart[] {
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
            why: 'it is there twice, and the last one applies',
            raw: undefined,
          })
        keys?.add(property)
      },
    },
    { allowTrailingComma: true },
  )
  return found
}

/** Returns the real path of the file, which all processes lock. Creates the folder if it is missing. */
async function lockPathOf(path: string): Promise<string> {
  const folder = dirname(path)
  await makeFolder(folder)
  return join(await realpath(folder), basename(path))
}

/** Writes a file atomically: an interruption leaves the old file. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
