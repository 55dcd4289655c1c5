import { createRequire } from 'node:module'
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isInOpenFolder } from '../base/openFolders.ts'
import { pathExists, readSmallFile } from '../base/smallFile.ts'
import { unpackedPath } from '../base/workerFile.ts'
import type { ServerDefinition, ServerProgram } from './serverTable.ts'

/** A program that can be started. */
export interface FoundProgram {
  /** `script`: a JavaScript file that runs in a process with Tizona's own Node. */
  kind: 'native' | 'script'
  /** Absolute path. */
  file: string
  /** Folder with the program's files: its package, or the folder of a program on PATH. */
  folder: string
  /** Who installed it: Tizona, the user on this machine, or the workspace, whose programs the agent can change. */
  origin: 'tizona' | 'machine' | 'workspace'
  /** Which program it is and where it comes from, for the user. */
  description: string
}

export interface ProgramLocations {
  /** Root of the workspace. It must be trusted. */
  workspace: string
  /** Folder of packages installed by Tizona, one folder per package. */
  installed: string
  /** Value of PATH. */
  searchPath: string
}

/** Finds a server's programs on this machine, preferred one first. */
export async function findPrograms(definition: ServerDefinition, places: ProgramLocations): Promise<FoundProgram[]> {
  return (await Promise.all(definition.programs.map((program) => find(program, places)))).flat()
}

function find(program: ServerProgram, places: ProgramLocations): Promise<FoundProgram[]> {
  switch (program.kind) {
    case 'typescript':
      return findTypeScript(places.workspace)
    case 'npm':
      return findScripts(program, places)
    case 'path':
      return findOnPath(program.command, places)
  }
}

/** First version of TypeScript whose compiler is a language server. */
const minTypeScript = 7

async function findTypeScript(workspace: string): Promise<FoundProgram[]> {
  const own = await typeScriptIn(path.join(workspace, 'node_modules/typescript'))
  const resolve = createRequire(import.meta.url).resolve
  const shipped = await typeScriptIn(path.dirname(resolve('typescript/package.json')))
  const older =
    own === null || own.file !== undefined
      ? ''
      : ` TypeScript ${own.version} in this folder is older than 7 and has no language server.`
  const program = (file: string, origin: FoundProgram['origin'], description: string): FoundProgram => ({
    kind: 'native',
    file,
    // The platform's package: `lib` has the program and its declarations.
    folder: path.dirname(path.dirname(file)),
    origin,
    description,
  })
  return [
    ...(own?.file === undefined ? [] : [program(own.file, 'workspace', `TypeScript ${own.version} in this folder.`)]),
    ...(shipped?.file === undefined
      ? []
      : [program(shipped.file, 'tizona', `TypeScript ${shipped.version} included in Tizona.${older}`)]),
  ]
}

/** Returns the version of a `typescript` package, and its native program if it has one for this machine. */
async function typeScriptIn(folder: string): Promise<{ version: string; file?: string } | null> {
  const manifest = path.join(folder, 'package.json')
  const version = versionIn(await readSmallFile(manifest))
  if (version === undefined) return null
  if (Number.parseInt(version, 10) < minTypeScript) return { version }
  const platformPackage = `@typescript/typescript-${process.platform}-${process.arch}/package.json`
  try {
    const found = path.dirname(createRequire(manifest).resolve(platformPackage))
    const file = unpackedPath(path.join(found, 'lib', process.platform === 'win32' ? 'tsc.exe' : 'tsc'))
    return (await pathExists(file)) ? { version, file } : { version }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return { version }
    throw error
  }
}

function versionIn(manifest: string | null): string | undefined {
  try {
    const value: unknown = JSON.parse(manifest ?? '')
    return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string'
      ? value.version
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function findScripts(
  program: Extract<ServerProgram, { kind: 'npm' }>,
  { workspace, installed }: ProgramLocations,
): Promise<FoundProgram[]> {
  const places = [
    { parent: workspace, origin: 'workspace', words: 'in this folder' },
    { parent: path.join(installed, program.package), origin: 'tizona', words: 'installed by Tizona' },
  ] as const
  const found = await Promise.all(
    places.map(async ({ parent, origin, words }): Promise<FoundProgram[]> => {
      const root = path.join(parent, 'node_modules', program.package)
      const file = path.join(root, program.script)
      if (!(await pathExists(file))) return []
      const version = versionIn(await readSmallFile(path.join(root, 'package.json'))) ?? ''
      const description = `${program.package} ${version} ${words}.`.replaceAll('  ', ' ')
      return [{ kind: 'script', file, folder: origin === 'workspace' ? root : parent, origin, description }]
    }),
  )
  return found.flat()
}

/**
 * Only absolute folders on PATH: a relative one would find programs in the working directory. Excludes other open
 * folders, which may not be trusted.
 */
async function findOnPath(command: string, { searchPath, workspace }: ProgramLocations): Promise<FoundProgram[]> {
  const names = process.platform === 'win32' ? [`${command}.exe`] : [command]
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue
    for (const name of names) {
      const file = path.join(folder, name)
      const executable = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (!executable || isInOpenFolder(file, workspace)) continue
      const real = await realpath(file)
      const origin = [file, real].some((each) => isBelow(each, workspace)) ? 'workspace' : 'machine'
      return [{ kind: 'native', file, folder: path.dirname(real), origin, description: `${file}.` }]
    }
  }
  return []
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder + path.sep)
}
