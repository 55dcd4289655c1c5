/** Folders whose files decide what programs run, at any depth of the workspace. */
const folders = new Set(['.git', '.tizona', '.vscode', '.idea', '.husky', '.claude', '.cursor'])

/** Files that a shell, a version manager or a package manager runs or obeys without being asked. */
const files = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.envrc',
  '.direnvrc',
  '.gitconfig',
  '.gitmodules',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.mcp.json',
  '.ripgreprc',
])

/**
 * Whether a write to this path is always asked, in every mode, whether it exists or not. Purely by name: case-folded, NFC,
 * without the characters that file systems ignore (HFS+ drops zero-width ones, Windows trailing dots and stream names:
 * the ways around git's own check, CVE-2014-9390 and CVE-2019-1352). Symlinks are the caller's to resolve.
 */
export function isProtectedPath(path: string): boolean {
  const names = path.split(/[\\/]+/).map(fold)
  return (
    names.some((name) => folders.has(name) || /^git~\d+$/.test(name)) ||
    files.has(names.findLast((name) => name !== '') ?? '')
  )
}

/** A name without the dots and spaces at its end, which Windows drops. Without an expression: `/[. ]+$/` takes square time. */
function trimEndCharacters(name: string): string {
  let end = name.length
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--
  return name.slice(0, end)
}

function fold(name: string): string {
  const visible = name.normalize('NFC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  return trimEndCharacters(visible.replace(/:.*$/s, '')).toLowerCase().normalize('NFC')
}
