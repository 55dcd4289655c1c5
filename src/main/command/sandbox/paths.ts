import { realpath } from 'node:fs/promises'
import path from 'node:path'

/** Whether a path equals a folder or is inside it. Both are absolute and real. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file)
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
}

/** Whether a path equals one of the folders or is inside it. */
export function isInsideAny(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(file, folder))
}

/** Returns the real path, or the path itself if it does not exist. */
export async function realOrSame(file: string): Promise<string> {
  return realpath(file).catch(() => file)
}
