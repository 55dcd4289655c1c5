import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isAbort, ToolError, toFailure } from '../../shared/errors.ts'
import type { FormattedText } from '../../shared/files/formatting.ts'
import { absoluteIn, folderPaths, relativeIn } from '../base/workspaceRoots.ts'
import { pathExists, readSmallFile } from '../base/smallFile.ts'
import type { FilterOutcome, FilterRequest } from '../command/commandTypes.ts'
import type { FilesNamed } from '../search/filesNamed.ts'
import type { Workspace } from '../workspace/containment.ts'
import { formatters, needsConfig, type Formatter } from './formatters.ts'

/** Milliseconds after which a formatter is stopped. */
const timeoutMs = 10_000
/** Maximum UTF-16 units of a text. */
const maxText = 5_000_000

export interface ProjectFormatterDeps {
  workspace: Workspace
  /** Formatters run code from the folder, such as their configuration. */
  isTrusted(): boolean
  /**
   * Whether a program in the folder, or a configuration that names code, is unchanged since the user trusted the
   * folder.
   */
  isApproved(program: string): Promise<boolean>
  filesNamed: FilesNamed
  /** Runs a program in the command service. */
  filter(request: FilterRequest, signal: AbortSignal): Promise<FilterOutcome>
  /** Returns the absolute path of a program on PATH. @throws ToolError `command_not_found` */
  findOnPath(program: string): Promise<string>
  timeoutMs?: number
}

export interface ProjectFormatter {
  /**
   * Formats a text with the project's formatter.
   * @param file path of the text in the workspace; the file need not exist
   * @returns null if the folder is not trusted or no known formatter is installed
   * @throws ToolError `timeout`, `too_large`, `refused`; `no_change` with the formatter's message if it rejects the
   * text
   */
  format(file: string, text: string, signal: AbortSignal): Promise<FormattedText | null>
  /** Absolute paths of the formatters in the folder's root and of all configurations. */
  folderPrograms(): Promise<string[]>
}

interface Found {
  formatter: Formatter
  /** Absolute path. */
  program: string
  /** Absolute path of the folder of the configuration or package. */
  folder: string
}

/** Creates the service that runs a folder's formatters. */
export function createProjectFormatter(deps: ProjectFormatterDeps): ProjectFormatter {
  const { workspace } = deps
  const isInWorkspace = (file: string): boolean => folderPaths(workspace).some((folder) => isBelow(file, folder))
  return {
    async format(file, text, signal) {
      if (!deps.isTrusted()) return null
      const { relative } = await workspace.resolve(file, { missing: 'allow' })
      const found = await findFormatter(deps, relative)
      if (found === undefined) return null
      const { formatter, program, folder } = found
      const fail = (
        code: 'timeout' | 'too_large' | 'no_change' | 'io_error' | 'refused',
        reason: string,
        next: string,
      ): ToolError => new ToolError(code, `${formatter.name} did not format ${relative}. ${reason}`, next)
      if (text.length > maxText) throw fail('too_large', 'The file is larger than 5 MB.', 'Format it in a terminal.')
      const inside = path.relative(folder, absoluteIn(workspace, relative))
      const ofFolder = isInWorkspace(program) || isInWorkspace(await realpath(program))
      const configurations = formatter.runsNoFolderCode ? [] : await configurationsOf(formatter, folder)
      for (const file of [...(ofFolder ? [program] : []), ...configurations])
        if (!(await deps.isApproved(file)))
          throw fail(
            'refused',
            `${file === program ? 'Its program' : (relativeIn(workspace, file) ?? file)} is new or has changed since you trusted this folder.`,
            'Allow it in Settings, under Language servers.',
          )
      const confinement = ofFolder || !formatter.runsNoFolderCode ? 'required' : 'preferred'
      const request = { program, confinement, args: formatter.args(inside), cwd: folder, input: text } as const
      const limit = deps.timeoutMs ?? timeoutMs
      const outcome = await deps.filter({ ...request, timeoutMs: limit }, signal).catch((error: unknown) => {
        if (isAbort(error)) throw error
        const { code, message, next } = toFailure(error)
        throw fail(code === 'timeout' || code === 'too_large' || code === 'refused' ? code : 'io_error', message, next)
      })
      if (outcome.exitCode !== 0)
        throw fail(
          'no_change',
          firstLines(outcome.errors) || `It ended with exit code ${outcome.exitCode ?? 'unknown'}.`,
          'Correct the text or the configuration of the formatter.',
        )
      // Some formatters write nothing for a file that their configuration ignores.
      const formatted = outcome.output.replaceAll('\r\n', '\n')
      return { text: formatted === '' ? text : formatted, formatter: formatter.name }
    },
    async folderPrograms() {
      const files = formatters.flatMap(({ program }) =>
        placesOf(program).flatMap((place) => folderPaths(workspace).map((folder) => path.join(folder, place))),
      )
      const names = formatters.flatMap((each) => (each.runsNoFolderCode ? [] : configurationNames(each)))
      const configurations = await deps.filesNamed([...new Set(names)])
      return [...(await existing(files)), ...configurations.map((file) => absoluteIn(workspace, file))]
    },
  }
}

const maxReasonLines = 5

function firstLines(text: string): string {
  return text.split('\n').slice(0, maxReasonLines).join('\n').slice(0, 1000)
}

/** Finds the formatter for a file: the nearest folder decides, then the order of the table. */
async function findFormatter(deps: ProjectFormatterDeps, relative: string): Promise<Found | undefined> {
  const { workspace } = deps
  const extension = path.posix.extname(relative).slice(1).toLowerCase()
  const candidates = formatters.filter(({ extensions }) => extensions.includes(extension))
  const folders = foldersAbove(relative)
    .filter((folder) => workspace.folders === undefined || folder !== '.')
    .map((folder) => absoluteIn(workspace, folder))
  for (const uses of [usesByConfig, usesByDependency]) {
    for (const folder of folders) {
      for (const formatter of candidates.filter(needsConfig)) {
        if (!(await uses(formatter, folder))) continue
        const program = await findProgram(deps, formatter.program, folders)
        if (program !== undefined) return { formatter, program, folder }
      }
    }
  }
  for (const formatter of candidates.filter((each) => !needsConfig(each))) {
    const program = await findProgram(deps, formatter.program, [])
    if (program !== undefined) return { formatter, program, folder: folders.at(-1) ?? workspace.root }
  }
  return undefined
}

/** The folder of a file and its parents, `.` last. */
function foldersAbove(relative: string): string[] {
  const folders: string[] = []
  for (let folder = path.posix.dirname(relative); ; folder = path.posix.dirname(folder)) {
    folders.push(folder)
    if (folder === '.') return folders
  }
}

const configurationNames = ({ configs, table }: Formatter): string[] =>
  table === undefined ? [...configs] : [...configs, 'package.json']

/** A formatter's configurations in a folder. Absolute paths. */
const configurationsOf = (formatter: Formatter, folder: string): Promise<string[]> =>
  existing(configurationNames(formatter).map((name) => path.join(folder, name)))

async function existing(files: readonly string[]): Promise<string[]> {
  const exist = await Promise.all(files.map(pathExists))
  return files.filter((_, index) => exist[index])
}

async function usesByConfig({ configs, table, extensions }: Formatter, folder: string): Promise<boolean> {
  const present = await Promise.all(configs.map((name) => pathExists(path.join(folder, name))))
  if (present.some(Boolean)) return true
  if (table === undefined) return false
  if (extensions.includes('py')) {
    const text = await readSmallFile(path.join(folder, 'pyproject.toml'))
    return text !== null && text.split('\n').some((line) => line.startsWith(table))
  }
  return table in (await readManifest(folder))
}

async function usesByDependency({ dependency }: Formatter, folder: string): Promise<boolean> {
  if (dependency === undefined) return false
  const { dependencies, devDependencies } = await readManifest(folder)
  return [dependencies, devDependencies].some((list) => typeof list === 'object' && list !== null && dependency in list)
}

/** Parsed `package.json`; empty if it is missing or invalid. */
async function readManifest(folder: string): Promise<Record<string, unknown>> {
  const text = await readSmallFile(path.join(folder, 'package.json'))
  try {
    const parsed: unknown = JSON.parse(text ?? '{}')
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

/** Finds a program in the folders' packages and virtual environments, otherwise on PATH. */
async function findProgram(
  { findOnPath }: ProjectFormatterDeps,
  program: string,
  folders: readonly string[],
): Promise<string | undefined> {
  for (const folder of folders) {
    for (const place of placesOf(program)) {
      const absolute = path.join(folder, place)
      if (await pathExists(absolute)) return absolute
    }
  }
  return findOnPath(program).catch(() => undefined)
}

/** Relative paths of a program in a project. */
function placesOf(program: string): string[] {
  return process.platform === 'win32'
    ? [`node_modules/.bin/${program}.cmd`, `.venv/Scripts/${program}.exe`, `venv/Scripts/${program}.exe`]
    : [`node_modules/.bin/${program}`, `.venv/bin/${program}`, `venv/bin/${program}`]
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder + path.sep)
}
