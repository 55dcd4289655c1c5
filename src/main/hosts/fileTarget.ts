import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { OpenedFileTarget } from '../core/openedFiles.ts'
import { isWorkspaceFile } from '../../shared/files/workspaceFolders.ts'
import { UsageError, type AppArguments } from './appArguments.ts'

/** What a command line opens: a folder, and a file in it. */
export interface CommandLineTarget {
  /** Absolute path of the folder, or of a `.code-workspace` file. */
  folder: string
  file?: OpenedFileTarget
  /** Further files. */
  others?: OpenedFileTarget[]
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'missing' | 'other'> {
  const found = await stat(path).catch(() => null)
  if (found === null) return 'missing'
  if (found.isDirectory()) return 'folder'
  return found.isFile() ? 'file' : 'other'
}

const trailingNumber = /^(.+):(\d{1,9})$/s

/** Splits `FILE:LINE[:COLUMN]`. The file that exists has priority, because a name can end with a number: `a:12:3`. */
async function splitPosition(whole: string): Promise<OpenedFileTarget> {
  const position = (name: string, line: string, column?: string): OpenedFileTarget => ({
    path: name,
    line: Math.max(1, Number(line)),
    ...(column !== undefined && { column: Math.max(1, Number(column)) }),
  })
  const [, name, last] = trailingNumber.exec(whole) ?? []
  if (name === undefined || last === undefined) return { path: whole }
  if ((await kindOf(name)) === 'file') return position(name, last)
  const [, shorter, line] = trailingNumber.exec(name) ?? []
  return shorter === undefined || line === undefined ? position(name, last) : position(shorter, line, last)
}

/**
 * Finds what a command line names.
 * @returns undefined if it names nothing
 * @throws UsageError if a path cannot be opened, or a folder is among several paths
 */
export async function findTargets({
  target,
  others,
  compareWith,
  newWindow,
}: Pick<AppArguments, 'target' | 'others' | 'compareWith' | 'newWindow'>): Promise<CommandLineTarget | undefined> {
  if (target === undefined) return undefined
  const first = await findTarget(target)
  const further = await Promise.all([...others, ...(compareWith === undefined ? [] : [compareWith])].map(findTarget))
  const files = further.flatMap(({ file }) => file ?? [])
  if (files.length < further.length || (first.file === undefined && files.length > 0))
    throw new UsageError('Only files can be opened or compared together. Open a folder alone.')
  const options = { ...(newWindow && { newWindow }) }
  return {
    folder: first.folder,
    ...(first.file && {
      file: { ...first.file, ...options, ...(compareWith !== undefined && { compareWith: files[0]?.path }) },
    }),
    ...(compareWith === undefined && files.length > 0 && { others: files.map((file) => ({ ...file, ...options })) }),
  }
}

/**
 * Finds what `FOLDER`, `FILE`, `FILE.code-workspace` or `FILE:LINE[:COLUMN]` names. A file that does not exist is opened as a new one.
 * @throws UsageError for a device or a pipe, and if the folder of a new file does not exist
 */
export async function findTarget(typed: string): Promise<CommandLineTarget> {
  const whole = resolve(typed)
  const kind = await kindOf(whole)
  if (kind === 'folder' || (kind === 'file' && isWorkspaceFile(whole))) return { folder: whole }
  const file = kind === 'missing' ? await splitPosition(whole) : { path: whole }
  if ((await kindOf(file.path)) === 'other')
    throw new UsageError(`${file.path} is neither a file nor a folder. Name one of these.`)
  const folder = dirname(file.path)
  if ((await kindOf(folder)) !== 'folder') throw new UsageError(`The folder ${folder} does not exist.`)
  return { folder, file }
}
