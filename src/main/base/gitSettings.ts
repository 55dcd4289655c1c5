import { homedir } from 'node:os'
import path from 'node:path'
import { readSmallFile } from './smallFile.ts'

// Reads the git settings that affect ignore rules. The files are parsed as text, because git itself would start
// programs named in a repository's configuration.

/** Git settings of one repository that affect ignore rules. */
export interface RepositorySettings {
  /** `core.ignorecase`. */
  ignoreCase: boolean
  /** Absolute path of `info/exclude`, which may not exist. */
  excludeFile: string
}

/** @param top absolute path of the folder that contains `.git` */
export async function repositorySettings(top: string): Promise<RepositorySettings> {
  const folder = await commonFolder(path.join(top, '.git'))
  const config = await readSmallFile(path.join(folder, 'config'))
  const ignoreCase = config === null ? undefined : coreSetting(config, 'ignorecase')
  return {
    ignoreCase: ignoreCase !== undefined && isTrue(ignoreCase),
    excludeFile: path.join(folder, 'info', 'exclude'),
  }
}

/** Returns the absolute path of the user's global ignore rules, with the same lookup as ripgrep. */
export async function globalExcludesFile(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const settings = environment.XDG_CONFIG_HOME || path.join(homedir(), '.config')
  for (const file of [path.join(homedir(), '.gitconfig'), path.join(settings, 'git', 'config')]) {
    const text = await readSmallFile(file)
    const configured = text === null ? undefined : coreSetting(text, 'excludesfile')
    if (configured) return path.resolve(homedir(), configured.replace(/^~(?=\/)/, homedir()))
  }
  return path.join(settings, 'git', 'ignore')
}

/** Returns the folder shared by a repository and its worktrees: the target of a `.git` file, or `.git` itself. */
async function commonFolder(git: string): Promise<string> {
  const link = await readSmallFile(git)
  const target = link?.startsWith('gitdir: ') ? link.slice('gitdir: '.length).trim() : undefined
  if (target === undefined) return git
  const own = path.resolve(path.dirname(git), target)
  const common = (await readSmallFile(path.join(own, 'commondir')))?.trim()
  return common === undefined ? own : path.resolve(own, common)
}

/** Returns the last value of a key in the section `core`. A key without a value is true. */
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
