import { createRequire } from 'node:module'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { isInOpenFolder } from '../base/openFolders.ts'
import { pathExists, readSmallFile } from '../base/smallFile.ts'
import { unpackedPath } from '../base/unpackedPath.ts'
import type { ServerDefinition, ServerProgram } from './serverTable.ts'

/** A program that can be started. */
export interface FoundProgram {
  /** `script`: a JavaScript file that runs in a process of Tizona's own Node. */
  kind: 'native' | 'script'
  /** Absolute path. */
  file: string
  /** Which program it is and where it comes from, for the user. */
  description: string
}

export interface ProgramPlaces {
  /** Root of the workspace. It must be trusted. */
  workspace: string
  /** Folder with packages that Tizona installed, one folder per package. */
  installed: string
  /** Value of PATH. */
  searchPath: string
}

/** Finds the program of a server; null if there is none on this machine. */
export async function findProgram(definition: ServerDefinition, places: ProgramPlaces): Promise<FoundProgram | null> {
  for (const program of definition.programs) {
    const found = await find(program, places)
    if (found) return found
  }
  return null
}

function find(program: ServerProgram, places: ProgramPlaces): Promise<FoundProgram | null> {
  switch (program.kind) {
    case 'typescript':
      return findTypeScript(places.workspace)
    case 'npm':
      return findScript(program, places)
    case 'path':
      return findOnPath(program.command, places)
  }
}

/** The first version of TypeScript whose compiler is a language server. */
const minTypeScript = 7

async function findTypeScript(workspace: string): Promise<FoundProgram | null> {
  const own = await typeScriptIn(path.join(workspace, 'node_modules/typescript'))
  if (own?.file !== undefined)
    return { kind: 'native', file: own.file, description: `TypeScript ${own.version} of this folder.` }
  const resolve = createRequire(import.meta.url).resolve
  const shipped = await typeScriptIn(path.dirname(resolve('typescript/package.json')))
  if (shipped?.file === undefined) return null
  const older =
    own === null ? '' : ` TypeScript ${own.version} of this folder is older than 7 and has no language server.`
  return { kind: 'native', file: shipped.file, description: `TypeScript ${shipped.version} of Tizona.${older}` }
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

async function findScript(
  program: Extract<ServerProgram, { kind: 'npm' }>,
  { workspace, installed }: ProgramPlaces,
): Promise<FoundProgram | null> {
  const places = [
    { folder: workspace, origin: 'of this folder' },
    { folder: path.join(installed, program.package), origin: 'installed by Tizona' },
  ]
  for (const { folder, origin } of places) {
    const root = path.join(folder, 'node_modules', program.package)
    const file = path.join(root, program.script)
    if (!(await pathExists(file))) continue
    const version = versionIn(await readSmallFile(path.join(root, 'package.json'))) ?? ''
    return { kind: 'script', file, description: `${program.package} ${version} ${origin}.`.replaceAll('  ', ' ') }
  }
  return null
}

/**
 * Absolute folders of PATH only: a relative one would find programs in the working folder. Other open folders may not
 * be trusted.
 */
async function findOnPath(command: string, { searchPath, workspace }: ProgramPlaces): Promise<FoundProgram | null> {
  const names = process.platform === 'win32' ? [`${command}.exe`] : [command]
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue
    for (const name of names) {
      const file = path.join(folder, name)
      const executable = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (executable && !isInOpenFolder(file, workspace)) return { kind: 'native', file, description: `${file}.` }
    }
  }
  return null
}
