import { access } from 'node:fs'
import path from 'node:path'
import { repositorySettings } from '../base/gitSettings.ts'

/**
 * Returns the flags that make ripgrep use the right ignore files. In a repository these are git's, up to the top of the
 * repository. Elsewhere `.gitignore` files of the workspace apply, but not those above it: the ignore file of an
 * unrelated parent folder, such as a home folder in git, must not hide files.
 * @param root real path of the workspace
 */
export async function ignoreFlags(root: string): Promise<string[]> {
  const above = ancestors(root)
  const [top, ruledFromAbove, ownRules] = await Promise.all([
    firstWith('.git', [root, ...above]),
    anyExists(above.map((folder) => path.join(folder, '.gitignore'))),
    anyExists([path.join(root, '.gitignore')]),
  ])
  if (top !== undefined) return (await repositorySettings(top)).ignoreCase ? ['--ignore-file-case-insensitive'] : []
  if (!ruledFromAbove) return ['--no-require-git']
  // Without parent rules, a search in a subfolder would miss the workspace's own ignore file, so it is passed
  // explicitly.
  return [
    '--no-require-git',
    '--no-ignore-parent',
    ...(ownRules ? ['--ignore-file', path.join(root, '.gitignore')] : []),
  ]
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [] : [parent, ...ancestors(parent)]
}

async function firstWith(name: string, folders: string[]): Promise<string | undefined> {
  const found = await Promise.all(folders.map((folder) => anyExists([path.join(folder, name)])))
  return folders.find((_, index) => found[index])
}

async function anyExists(files: string[]): Promise<boolean> {
  const found = await Promise.all(
    files.map(
      (file) =>
        // With a callback, because a failed promise of `fs` collects a stack. Most of these files do not exist.
        new Promise<boolean>((resolve) => {
          access(file, (error) => resolve(error === null))
        }),
    ),
  )
  return found.includes(true)
}
