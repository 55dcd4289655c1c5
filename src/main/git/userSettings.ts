import { stat } from 'node:fs/promises'
import path from 'node:path'
import { runGitProcess } from './gitProcess.ts'
import type { UserSetting } from './userConfiguration.ts'

const maxBytes = 1024 * 1024
const timeoutMs = 5000

/** Settings and the files that they come from. */
interface Listed {
  settings: UserSetting[]
  files: string[]
  stamps: string
}

/**
 * Returns a function that lists the settings that apply to a repository, without its own; undefined if they cannot be
 * read. Runs git again only if a file has changed, or if one includes others.
 * @param env environment of git
 */
export function createUserSettings(
  env: () => NodeJS.ProcessEnv,
): (workTree: string) => Promise<readonly UserSetting[] | undefined> {
  let latest: Listed | undefined
  return async (workTree) => {
    if (latest && (await stampsOf(latest.files)) === latest.stamps) return latest.settings
    const before = await stampsOf(standardFiles(env()))
    latest = undefined
    const listed = await list(workTree, env())
    if (!listed) return undefined
    const files = [...new Set([...standardFiles(env()), ...listed.files])]
    const includes = listed.settings.some(({ key }) => /^include(?:if)?\./.test(key))
    // A file that has changed in the meantime may have been read before.
    const isSettled = (await stampsOf(standardFiles(env()))) === before
    if (!includes && isSettled) latest = { settings: listed.settings, files, stamps: await stampsOf(files) }
    return listed.settings
  }
}

/** Files that may be created later. */
function standardFiles({ HOME = '', XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string[] {
  const folder = XDG_CONFIG_HOME || path.join(HOME, '.config')
  return [path.join(HOME, '.gitconfig'), path.join(folder, 'git', 'config'), '/etc/gitconfig']
}

async function stampsOf(files: readonly string[]): Promise<string> {
  const stamps = files.map((file) =>
    stat(file, { bigint: true }).then(
      ({ size, mtimeNs, ctimeNs, ino }) => `${size} ${mtimeNs} ${ctimeNs} ${ino}`,
      () => 'missing',
    ),
  )
  return (await Promise.all(stamps)).join('\n')
}

async function list(workTree: string, env: NodeJS.ProcessEnv): Promise<Omit<Listed, 'stamps'> | undefined> {
  try {
    const { code, output, truncated } = await runGitProcess({
      args: ['config', '--list', '--show-scope', '--show-origin', '-z'],
      folder: workTree,
      env,
      maxBytes,
      timeoutMs,
      signal: new AbortController().signal,
    })
    if (code !== 0 || truncated) return undefined
    const fields = output.toString('utf8').split('\0')
    const settings: UserSetting[] = []
    const files = new Set<string>()
    for (let at = 0; at + 2 < fields.length; at += 3) {
      if (fields[at] === 'local' || fields[at] === 'worktree') continue
      const file = fields[at + 1]?.replace(/^file:/, '')
      if (file !== undefined) files.add(path.resolve(workTree, file))
      // A key without a value means true.
      const [key = '', ...value] = (fields[at + 2] ?? '').split('\n')
      settings.push({ key, value: value.join('\n') })
    }
    return { settings, files: [...files] }
  } catch {
    return undefined
  }
}
