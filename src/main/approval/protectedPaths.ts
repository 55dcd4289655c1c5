/** Folders whose files determine which programs run, at any depth. */
const folders = new Set(['.git', '.tizona', '.vscode', '.idea', '.husky', '.claude', '.cursor'])

/** Files that a shell, version manager or package manager executes or obeys automatically. */
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
 * Whether writing a path requires approval in every mode. Decided by name only: case-folded, NFC, and without
 * characters that file systems ignore (zero-width ones on HFS+; trailing dots and stream names on Windows), which have
 * bypassed git's own check (CVE-2014-9390, CVE-2019-1352). Callers resolve symlinks.
 */
export function isProtectedPath(path: string): boolean {
  const names = path.split(/[\\/]+/).map(fold)
  return (
    names.some((name) => folders.has(name) || /^git~\d+$/.test(name)) ||
    files.has(names.findLast((name) => name !== '') ?? '')
  )
}

/** Removes trailing dots and spaces, as Windows does. A loop, because `/[. ]+$/` takes quadratic time. */
function trimEndCharacters(name: string): string {
  let end = name.length
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--
  return name.slice(0, end)
}

function fold(name: string): string {
  const visible = name.normalize('NFC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  return trimEndCharacters(visible.replace(/:.*$/s, '')).toLowerCase().normalize('NFC')
}
