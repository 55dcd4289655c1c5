import { randomUUID } from 'node:crypto'
import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { z } from 'zod'
import { makeFolder } from '../base/makeFolder.ts'
import { ToolError, type ToolErrorCode } from '../../shared/errors.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import { pathLocks } from '../base/pathLocks.ts'

/** A small JSON file in the user data folder. Only the user can read it. */
export interface JsonFile<T> {
  /** The latest value that was read or written. */
  readonly value: T
  /**
   * Applies a change and writes the file. Changes run one after another, even across processes, and each sees the
   * result of the previous one.
   * @throws ToolError `conflict` if another process keeps the file locked
   */
  update(change: (value: T) => T): Promise<T>
  /**
   * Reads the file again. An invalid file, for example a partly written one, is ignored.
   * @returns whether the value changed
   */
  reload(): Promise<boolean>
}

/**
 * Reads and validates a JSON file. An invalid file is renamed to `NAME.broken`, `onBroken` receives the reason, and the
 * parsed `fallback` is used.
 * @throws ToolError if the file exists but cannot be read or renamed; from `update` if it cannot be written
 */
export async function openJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fallback: z.input<Schema>,
  onBroken: (reason: string) => void,
): Promise<JsonFile<z.output<Schema>>> {
  let value = (await withFileErrors(`read ${path}`, () => load(path, schema, onBroken))) ?? schema.parse(fallback)
  const operations = new Sequencer()

  async function readAgain(): Promise<void> {
    value = (await withFileErrors(`read ${path}`, () => parseFile(path, schema)))?.data ?? value
  }

  return {
    get value() {
      return value
    },
    update(change) {
      return operations.queue(async () => {
        const locked = await withFileErrors(`write ${path}`, () => lockPathOf(path))
        return pathLocks.run([locked], async () => {
          await readAgain()
          const changed = schema.parse(change(value))
          await withFileErrors(`write ${path}`, () => writeAtomically(path, `${JSON.stringify(changed, null, 2)}\n`))
          value = changed
          return changed
        })
      })
    },
    reload: () =>
      operations.queue(async () => {
        const before = JSON.stringify(value)
        await readAgain()
        return JSON.stringify(value) !== before
      }),
  }
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

/** Returns the value of a file, or why it is invalid; undefined if the file does not exist. */
async function parseFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<{ data: z.output<Schema>; why?: undefined } | { data?: undefined; why: string } | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (parsed.success) return { data: parsed.data }
    return { why: parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`).join('; ') }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

async function load<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  onBroken: (reason: string) => void,
): Promise<z.output<Schema> | undefined> {
  const found = await parseFile(path, schema)
  if (found?.why === undefined) return found?.data
  await rename(path, `${path}.broken`)
  onBroken(`${path} could not be used (${found.why}). It was kept as ${path}.broken, and defaults are used.`)
  return undefined
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
