import { existsSync } from 'node:fs'
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
  // Synchronous: these few calls take a tenth of the time that passing them to other threads takes. Starting ripgrep in
  // the folder waits for the same disk.
  const has = (name: string) => (folder: string) => existsSync(path.join(folder, name))
  const top = [root, ...above].find(has('.git'))
  if (top !== undefined) return (await repositorySettings(top)).ignoreCase ? ['--ignore-file-case-insensitive'] : []
  if (!above.some(has('.gitignore'))) return ['--no-require-git']
  // Without parent rules, a search in a subfolder would miss the workspace's own ignore file, so it is passed
  // explicitly.
  return [
    '--no-require-git',
    '--no-ignore-parent',
    ...(has('.gitignore')(root) ? ['--ignore-file', path.join(root, '.gitignore')] : []),
  ]
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [] : [parent, ...ancestors(parent)]
}
