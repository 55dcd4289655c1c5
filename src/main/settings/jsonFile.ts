import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { z } from 'zod'
import { ToolError, type ToolErrorCode } from '../../shared/errors.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import { pathLocks } from '../base/pathLocks.ts'

/** A small JSON file of the user's own folder, readable by the user alone. */
export interface JsonFile<T> {
  /** The value on disk when the file was opened or read again, or the latest written. */
  readonly value: T
  /**
   * Changes are written one after another; each sees the result of the one before, also of those that other processes make
   * at the same time. Throws `conflict` when another process keeps the file locked.
   */
  update(change: (value: T) => T): Promise<T>
  /**
   * Reads what another process or a person wrote. A text that cannot be used, e.g. half of one, changes nothing.
   * @returns whether it is another value now
   */
  reload(): Promise<boolean>
}

/**
 * Reads a JSON file and checks it. A file that cannot be used is kept aside as `NAME.broken`, `onBroken` is told why, and
 * the schema's answer to `fallback` is used.
 * @throws ToolError when the file is there but cannot be read or moved; `update` when it cannot be written
 */
export async function openJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fallback: z.input<Schema>,
  onBroken: (reason: string) => void,
): Promise<JsonFile<z.output<Schema>>> {
  let value = (await inWords(`read ${path}`, () => load(path, schema, onBroken))) ?? schema.parse(fallback)
  const operations = new Sequencer()

  async function readAgain(): Promise<void> {
    value = (await inWords(`read ${path}`, () => parseFile(path, schema)))?.data ?? value
  }

  return {
    get value() {
      return value
    },
    update(change) {
      return operations.queue(async () => {
        const locked = await inWords(`write ${path}`, () => lockPathOf(path))
        return pathLocks.run([locked], async () => {
          await readAgain()
          const changed = schema.parse(change(value))
          await inWords(`write ${path}`, () => writeAtomically(path, `${JSON.stringify(changed, null, 2)}\n`))
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

const full = [
  'no_space',
  'the disk is full',
  'Free space on that disk, then try again. The file is as it was.',
] as const
const forbidden = [
  'permission_denied',
  'the operating system does not permit it',
  'Change the permissions of the file and its folder, then try again.',
] as const
const causes: Readonly<Record<string, readonly [code: ToolErrorCode, why: string, next: string]>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: forbidden,
}

/** Runs a step; a system error becomes a `ToolError` that says what failed, why, and what to do. Other errors pass. */
async function inWords<T>(doing: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error
    const [code, why, next] = causes[String(error.code)] ?? [
      'io_error',
      `the system reports ${String(error.code)}`,
      'Check the disk, then try again.',
    ]
    throw new ToolError(code, `Could not ${doing}: ${why}.`, next, { cause: error })
  }
}

/** What a file holds: its value, or why it cannot be used. Undefined when there is none. */
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

/** The file's real path, which all processes lock, whichever way they name its folder. The folder is made when it is missing. */
async function lockPathOf(path: string): Promise<string> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return join(await realpath(folder), basename(path))
}

/** Either the old file or the new one stands there, whatever happens in between. */
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
