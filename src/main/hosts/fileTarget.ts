import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { OpenedFileTarget } from '../core/openedFiles.ts'
import { UsageError } from './appArguments.ts'

/** What a command line opens: a folder, and a file in it. */
export interface CommandLineTarget {
  /** Absolute path. */
  folder: string
  file?: OpenedFileTarget
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'missing'> {
  const found = await stat(path).catch(() => null)
  if (found === null) return 'missing'
  return found.isDirectory() ? 'folder' : 'file'
}

/**
 * Finds what `FOLDER`, `FILE` or `FILE:LINE[:COLUMN]` names. A file that does not exist is opened as a new one.
 * @throws UsageError if the folder of a new file does not exist
 */
export async function findTarget(typed: string): Promise<CommandLineTarget> {
  const whole = resolve(typed)
  const kind = await kindOf(whole)
  if (kind === 'folder') return { folder: whole }
  if (kind === 'file') return { folder: dirname(whole), file: { path: whole } }
  const [, name, line, column] = /^(.+?):(\d{1,9})(?::(\d{1,9}))?$/.exec(whole) ?? []
  const path = name ?? whole
  const folder = dirname(path)
  if ((await kindOf(folder)) !== 'folder') throw new UsageError(`The folder ${folder} does not exist.`)
  const position = {
    ...(line !== undefined && { line: Math.max(1, Number(line)) }),
    ...(column !== undefined && { column: Math.max(1, Number(column)) }),
  }
  return { folder, file: { path, ...position } }
}
