import { watch } from 'node:fs'
import { readFile, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { z } from 'zod'
import { makeFolder } from '../base/makeFolder.ts'
import { writeAtomically } from '../base/writeAtomically.ts'
import { ToolError, toFailure, type ToolErrorCode } from '../../shared/errors.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { pathLocks } from '../base/pathLocks.ts'
import {
  parseJsonParts,
  problemText,
  valueAt,
  type DroppedPart,
  type FileProblem,
  type ParsedJson,
} from '../base/jsonParts.ts'

/** A small JSON file in the user data folder. Only the user can read it. */
export interface JsonFile<T> {
  /** The value last read or written. */
  readonly value: T
  /** The parts of the file that are ignored. */
  readonly problems: readonly FileProblem[]
  /**
   * Applies a change and writes the file. Changes run one at a time, even across processes, and each sees the result of
   * the previous one. Keeps ignored parts of the file, unless the change replaces them.
   * @throws ToolError `conflict` if another process keeps the file locked, or if the file cannot be read as JSON
   */
  update(change: (value: T) => T): Promise<T>
  /**
   * Reads the file again. Ignores a file that is not JSON, for example because it is incomplete.
   * @returns whether the value or the problems changed
   */
  reload(): Promise<boolean>
}

/** How to open a file. */
export interface JsonFileOptions {
  /**
   * Whether a file that is not JSON may be replaced, because only Tizona writes it. It is renamed to `NAME.broken`.
   * Default: it is kept, and changes fail until the user corrects it.
   */
  replaceable?: boolean
}

/**
 * Reads and validates a JSON file. Accepts comments, trailing commas and a byte order mark. Drops invalid parts and
 * reports them to `onProblem`; the file itself is unchanged. Uses `fallback` for a file that is not JSON.
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
  const read = () => withFileErrors(`Could not read ${path}.`, () => parseFile(path, schema))

  const first = await read()
  if (first?.unreadable !== undefined && replaceable) {
    await withFileErrors(`Could not rename ${path}.`, () => rename(path, `${path}.broken`))
    onProblem(
      `${path} could not be used (${first.unreadable}). It was kept as ${path}.broken, and the defaults are used.`,
    )
  } else take(first, true)

  function take(found: ParsedJson<z.output<Schema>> | undefined, isFirst = false): void {
    const before = problemTexts().join()
    unreadable = found?.unreadable
    if (found?.unreadable !== undefined && isFirst) dropped = []
    if (found?.unreadable === undefined && found !== undefined) {
      value = found.data
      dropped = found.dropped
    } else if (found === undefined) dropped = []
    const problems = problemTexts()
    if (problems.length > 0 && problems.join() !== before)
      onProblem(
        `Only part of ${path} is used. ${problems.join(' ')} The file was not changed: correct it in an editor.`,
      )
  }

  function problemTexts(): string[] {
    if (unreadable !== undefined) return [`It cannot be read (${unreadable}).`]
    return dropped.map(problemText)
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
        const locked = await withFileErrors(`Could not write ${path}.`, () => lockPathOf(path))
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
          await withFileErrors(`Could not write ${path}.`, () =>
            writeAtomically(path, `${JSON.stringify(kept.value, null, 2)}\n`),
          )
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

/**
 * Reads a file of a folder again when another program has changed it.
 * @param onUnwatched called if the folder cannot be watched. Only one file of a folder needs to report that
 * @returns a function that ends it
 */
export function followJsonFile(
  path: string,
  file: Pick<JsonFile<unknown>, 'reload'>,
  onChanged: () => void,
  onNotice: (message: string) => void,
  onUnwatched: (error: unknown) => void = () => undefined,
): () => void {
  const name = basename(path)
  const readAgain = () =>
    file.reload().then(
      (changed) => void (changed && onChanged()),
      (error: unknown) => onNotice(`The changes to ${name} could not be loaded. ${toFailure(error).message}`),
    )
  try {
    // Watches the folder, because each write replaces the file. Ignores changes to other files.
    const watcher = watch(dirname(path), { persistent: false }, (_kind, changed) => {
      if (changed === name) void readAgain()
    })
    watcher.on('error', onUnwatched)
    return () => watcher.close()
  } catch (error) {
    // Some file systems do not support watching. Everything else works.
    onUnwatched(error)
    return () => undefined
  }
}

/** Adds the invalid parts to a value being written, except those that the change replaced. */
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

const diskFull = [
  'no_space',
  'The disk is full.',
  'Free space on that disk, then try again. The file was not changed.',
] as const
const notPermitted = [
  'permission_denied',
  'The operating system does not permit it.',
  'Change the permissions of the file and its folder, then try again.',
] as const
const causes: Readonly<Record<string, readonly [code: ToolErrorCode, why: string, next: string]>> = {
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: notPermitted,
}

/**
 * Runs a step and converts system errors to a `ToolError` with the cause and what to do.
 * @param failed the sentence that begins the message
 */
async function withFileErrors<T>(failed: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error
    const [code, why, next] = causes[String(error.code)] ?? [
      'io_error',
      `The system reports ${String(error.code)}.`,
      'Check the disk, then try again.',
    ]
    throw new ToolError(code, `${failed} ${why}`, next, { cause: error })
  }
}

/** Maximum bytes of a file. */
const maxSize = 32 * 1024 * 1024
/** Reads a file; undefined if it does not exist. */
async function parseFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<ParsedJson<z.output<Schema>> | undefined> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > maxSize) return { unreadable: `it is larger than ${maxSize / 1024 / 1024} MB` }
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  return parseJsonParts(text, schema)
}

/** Returns the real path of the file, which all processes lock. Creates the folder if necessary. */
async function lockPathOf(path: string): Promise<string> {
  const folder = dirname(path)
  await makeFolder(folder)
  return join(await realpath(folder), basename(path))
}
