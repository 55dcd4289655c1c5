import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { decodeGitText } from '../gitText.ts'
import type { GitResult } from '../gitProcess.ts'
import { requireGit } from './gitFailures.ts'

/** Maximum number of files that the error names. */
const maxNamed = 5

/**
 * Refuses to bring files of a commit into a folder that has files of their names which are in no commit. Git itself
 * refuses only for untracked files, and overwrites those that it ignores.
 *
 * @param git must fetch objects that a partial clone lacks
 * @param how `merge`: only what the commit changed since the common ancestor; `checkout`: all its files; `from`: only
 *   what differs between another commit and this one
 * @throws ToolError `conflict`
 */
export async function refuseOverwriting(
  folder: string,
  git: (args: readonly string[]) => Promise<GitResult>,
  commit: string,
  how: 'merge' | 'checkout' | { from: string },
): Promise<void> {
  const diff = ['diff', '--no-renames', '--no-ext-diff', '--name-only', '-z']
  const lines = (result: GitResult) =>
    decodeGitText(requireGit('The files could not be compared.', result).output).split('\0').filter(Boolean)
  const added = lines(await git([...diff, '--diff-filter=A', 'HEAD', commit, '--']))
  if (added.length === 0) return
  const range = how === 'merge' ? [`HEAD...${commit}`] : how === 'checkout' ? undefined : [how.from, commit]
  const changed = range && (await git([...diff, ...range, '--']))
  // Without a common ancestor, git refuses to merge.
  if (changed && changed.code !== 0) return
  const brought = changed && new Set(lines(changed))
  const places = new Set<string>()
  for (const file of added) {
    const place = brought === undefined || brought.has(file) ? await placeInTheWay(folder, file) : undefined
    if (place !== undefined) places.add(place)
  }
  if (places.size === 0) return
  const names = [...places].filter((place) => place.isWellFormed())
  const others = async (...options: string[]) => {
    const found = new Set<string>()
    for (let at = 0; at < names.length; at += 100) {
      const args = ['--literal-pathspecs', 'ls-files', '--others', ...options, '-z', '--', ...names.slice(at, at + 100)]
      for (const file of lines(await git(args))) found.add(file)
    }
    return found
  }
  // Without a list of excludes, ignored files are among them.
  const found = await others()
  if (found.size === 0) return
  // A stash would not move ignored files away.
  const untracked = await others('--exclude-standard')
  const areIgnored = [...found].some((file) => !untracked.has(file))
  const named = [...found].slice(0, maxNamed).map(visibleText)
  const more = found.size - named.length
  throw new ToolError(
    'conflict',
    `Files in ${folder} that are in no commit would be overwritten, so nothing was changed: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    'Move or rename them, then try again.',
    areIgnored ? {} : { reason: 'untracked_files' },
  )
}

/** Returns the file or folder that a new file would replace, relative to the folder. */
async function placeInTheWay(folder: string, file: string): Promise<string | undefined> {
  const names = file.split('/')
  for (const index of names.keys()) {
    const place = names.slice(0, index + 1).join('/')
    const stats = await lstat(path.join(folder, place)).catch(() => undefined)
    if (stats === undefined) return undefined
    if (index === names.length - 1 || !stats.isDirectory()) return place
  }
  return undefined
}
