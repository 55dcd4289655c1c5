import { findProgramByName, searchPathOf } from './programSearch.ts'

/** Names of a program's package in the package managers that have one. */
export interface SystemPackage {
  apt?: string
  dnf?: string
  pacman?: string
  brew?: string
  winget?: string
}

const linuxManagers = [
  { name: 'apt', program: 'apt-get', install: 'sudo apt-get install' },
  { name: 'dnf', program: 'dnf', install: 'sudo dnf install' },
  { name: 'pacman', program: 'pacman', install: 'sudo pacman -S' },
] as const

/**
 * Returns the command that installs a package with the package manager of this machine; undefined if there is none.
 * @param name the package, or a command that is the same on all systems
 * @param system of tests
 */
export function installCommandOf(
  name: SystemPackage | string,
  system: { platform: string; has(program: string): boolean } = { platform: process.platform, has: isOnPath },
): string | undefined {
  if (typeof name === 'string') return name === '' ? undefined : name
  if (system.platform === 'darwin') return name.brew === undefined ? undefined : `brew install ${name.brew}`
  if (system.platform === 'win32') return name.winget === undefined ? undefined : `winget install ${name.winget}`
  const manager = linuxManagers.find(({ program }) => system.has(program))
  const found = manager && name[manager.name]
  return found === undefined ? undefined : `${manager?.install} ${found}`
}

const isOnPath = (program: string): boolean => findProgramByName(program, searchPathOf(process.env)) !== undefined
