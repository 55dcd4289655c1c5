const prefix = 'untitled:'
const namePrefix = 'Untitled-'
/** Maximum length of a title in UTF-16 units, as in VS Code. */
const maxTitle = 40

/** Whether a tab's path stands for a text without a file, such as `untitled:Untitled-1`. The form is VS Code's. */
export const isUntitled = (path: string): boolean => path.startsWith(prefix + namePrefix)

/** Returns the path of a new untitled text: the lowest number that is not in use. */
export function nextUntitledPath(used: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const path = `${prefix}${namePrefix}${number}`
    if (!used.includes(path)) return path
  }
}

/** Returns the name of an untitled text, such as `Untitled-1`. */
export const untitledName = (path: string): string => path.slice(prefix.length)

/** Returns the title of an untitled text: its first line, or its name if that line has no letters or digits. */
export function untitledTitle(path: string, text: string): string {
  const end = text.indexOf('\n')
  const line = (end < 0 ? text.slice(0, 1000) : text.slice(0, Math.min(end, 1000))).trim()
  if (!/[\p{L}\p{N}]/u.test(line)) return untitledName(path)
  return line.length <= maxTitle ? line : `${line.slice(0, maxTitle).trimEnd()}…`
}
