import { isUntitled } from './untitled.ts'

/** Two slashes, which no path in a folder has: an entry there can be named `outside:`. */
const prefix = 'outside://'

/**
 * Whether a tab's path stands for a file outside the open folder, such as `outside:///etc/hosts`, which the user opened. No
 * tool accepts such a path.
 */
export const isOutsideFile = (path: string): boolean => path.startsWith(`${prefix}/`)

/** Returns the tab's path of a file outside the open folder. @param absolute as the file's system writes it */
export function outsidePath(absolute: string): string {
  const slashes = /^[A-Za-z]:\\/.test(absolute) ? `/${absolute.replaceAll('\\', '/')}` : absolute
  return `${prefix}${slashes}`
}

/** Returns the absolute path of a file outside the open folder. */
export function absoluteOfOutside(path: string): string {
  const absolute = path.slice(prefix.length)
  return /^\/[A-Za-z]:\//.test(absolute) ? absolute.slice(1).replaceAll('/', '\\') : absolute
}

/** Whether a tab's path does not depend on the open folder: an untitled text, or a file outside it. */
export const isWithoutFolder = (path: string): boolean => isUntitled(path) || isOutsideFile(path)
