/** Matches paths that file systems take literally, except for case. Most paths are like this. */
const plainPath = /^[\w./-]*$/
const endsWithDot = /\.(?:\/|$)/

/** Returns the names of a path as file systems may interpret them. */
export function namesOf(path: string): string[] {
  const names =
    plainPath.test(path) && !endsWithDot.test(path)
      ? path.toLowerCase().split('/')
      : path.split(/[\\/]+/).map((name) => foldName(name).replace(/^git~\d+$/, '.git'))
  return names.includes('') ? names.filter((name) => name !== '') : names
}

/**
 * Folds case and Unicode forms, and drops characters that file systems ignore: zero-width characters (HFS+), trailing
 * dots and stream names (Windows). Each of them has been used to bypass git's own check (CVE-2014-9390, CVE-2019-1352).
 */
export function foldName(name: string): string {
  const visible = isPlainAscii(name)
    ? name
    : name
        .normalize('NFC')
        .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
        .normalize('NFC')
  return trimEndCharacters(visible.replace(/:.*$/s, '')).toLowerCase().normalize('NFC')
}

const isPlainAscii = (name: string): boolean => /^[\x20-\x7e]*$/.test(name)

/** Removes trailing dots and spaces, as Windows does. A loop, because `/[. ]+$/` takes quadratic time. */
function trimEndCharacters(name: string): string {
  let end = name.length
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--
  return name.slice(0, end)
}
