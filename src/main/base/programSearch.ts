import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { isInOpenFolder } from './openFolders.ts'

/** Extensions that Windows tries for a program name without one. */
const endings = process.platform === 'win32' ? ['', '.com', '.exe'] : ['']

/**
 * Returns PATH without relative folders, which depend on the working directory, and without folders inside an open
 * folder, which may be a hostile repository.
 * @param trusted an open folder whose programs may run
 */
export function safeSearchPath(searchPath: string, trusted?: string): string {
  return foldersOf(searchPath, trusted).join(path.delimiter)
}

function foldersOf(searchPath: string, trusted?: string): string[] {
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !isInOpenFolder(folder, trusted))
}

/** Returns the value of PATH in an environment, which Windows may spell `Path`. */
export function searchPathOf(environment: NodeJS.ProcessEnv): string {
  const name = Object.keys(environment).findLast((key) => /^path$/i.test(key))
  return (name === undefined ? undefined : environment[name]) ?? ''
}

/**
 * Finds a program by name like execvp(3), but only in absolute folders of PATH and never in an open folder.
 * @returns its absolute path
 */
export function findProgramByName(name: string, searchPath: string): string | undefined {
  return foldersOf(searchPath)
    .flatMap((folder) => endings.map((ending) => path.join(folder, name + ending)))
    .find((file) => isProgram(file) && !isInOpenFolder(file))
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false // missing or not executable
  }
}
