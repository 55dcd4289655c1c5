import { access } from 'node:fs/promises'
import path from 'node:path'
import { repositorySettings } from '../base/gitSettings.ts'

/**
 * The flags that make ripgrep honour the right ignore files. Inside a repository its own rules are git's: up to the repository's
 * top and no further. Elsewhere `.gitignore` files count too, but only those of the workspace: one that happens to lie in
 * a folder above (a home folder kept in git elsewhere) must not hide the user's files.
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
  // Without parents a search that starts in a subfolder would miss the workspace's own rules, so they are named.
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
  for (const folder of folders) if (await anyExists([path.join(folder, name)])) return folder
  return undefined
}

async function anyExists(files: string[]): Promise<boolean> {
  const found = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
