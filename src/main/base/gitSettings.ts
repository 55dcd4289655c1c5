import { homedir } from 'node:os'
import path from 'node:path'
import { readSmallFile } from './smallFile.ts'

// What git's configuration says about ignore rules. The files are read as text: git itself is not run, because a repository's
// configuration can make it start programs.

/** What holds for the ignore rules of one repository. */
export interface RepositorySettings {
  /** `core.ignorecase`. */
  ignoreCase: boolean
  /** Absolute path of `info/exclude`, whether it exists or not. */
  excludeFile: string
}

/** @param top absolute path of the folder that holds `.git` */
export async function repositorySettings(top: string): Promise<RepositorySettings> {
  const folder = await commonFolder(path.join(top, '.git'))
  const config = await readSmallFile(path.join(folder, 'config'))
  const ignoreCase = config === null ? undefined : coreSetting(config, 'ignorecase')
  return {
    ignoreCase: ignoreCase !== undefined && isTrue(ignoreCase),
    excludeFile: path.join(folder, 'info', 'exclude'),
  }
}

/** The user's ignore rules for every repository, in the places where ripgrep looks for them too. Absolute. */
export async function globalExcludesFile(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const settings = environment.XDG_CONFIG_HOME || path.join(homedir(), '.config')
  for (const file of [path.join(homedir(), '.gitconfig'), path.join(settings, 'git', 'config')]) {
    const text = await readSmallFile(file)
    const named = text === null ? undefined : coreSetting(text, 'excludesfile')
    if (named) return path.resolve(homedir(), named.replace(/^~(?=\/)/, homedir()))
  }
  return path.join(settings, 'git', 'ignore')
}

/** The folder that a repository shares with its other work trees: what a `.git` file points to, or `.git` itself. */
async function commonFolder(git: string): Promise<string> {
  const link = await readSmallFile(git)
  const target = link?.startsWith('gitdir: ') ? link.slice('gitdir: '.length).trim() : undefined
  if (target === undefined) return git
  const own = path.resolve(path.dirname(git), target)
  const common = (await readSmallFile(path.join(own, 'commondir')))?.trim()
  return common === undefined ? own : path.resolve(own, common)
}

/** The last value of a key in the section `core`; a key alone means true. */
function coreSetting(config: string, key: string): string | undefined {
  let section = ''
  let value: string | undefined
  for (const line of config.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[')) section = line.slice(1, line.indexOf(']')).trim().toLowerCase()
    const equals = line.indexOf('=')
    const name = (equals < 0 ? line : line.slice(0, equals)).trim().toLowerCase()
    if (section === 'core' && name === key) value = equals < 0 ? 'true' : unquoted(line.slice(equals + 1).trim())
  }
  return value
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}

function isTrue(value: string): boolean {
  return ['true', 'yes', 'on', '1'].includes(value.toLowerCase())
}
