import { lstatSync, readFileSync, type BigIntStats } from 'node:fs'
import path from 'node:path'

/** What decides which folders are at the paths of a workspace, and whether times of files can be compared. */
export interface Surroundings {
  /** Differs if another folder is at the path of the root, or if something was mounted. */
  text: string
  /** Files at whose paths others are mounted. A change by the other path is not reported. */
  mountedFiles: string[]
  /** Difference between the clock and the time that runs evenly. Milliseconds. */
  clock: number
}

/** Change of the clock from which times before and after it are not compared. Milliseconds. */
export const clockStepMs = 100

/** @throws errors of the system */
export function surroundingsOf(root: string): Surroundings {
  const { dev, ino } = lstatSync(root)
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const mountedFiles = mountPointsWithin(root, mounts).filter(
    (place) => statsOf(path.join(root, place))?.isDirectory() === false,
  )
  return { text: `${dev} ${ino}\n${mounts}`, mountedFiles, clock: Date.now() - performance.now() }
}

/** Whether neither the root nor a mount nor the clock has changed in between. */
export function isSameSurroundings(one: Surroundings, other: Surroundings): boolean {
  return one.text === other.text && Math.abs(one.clock - other.clock) < clockStepMs
}

/** Returns the paths in a folder at which something is mounted, by the text of proc_pid_mountinfo(5). */
export function mountPointsWithin(root: string, mounts: string): string[] {
  return mounts.split('\n').flatMap((line) => {
    const escaped = line.split(' ')[4] ?? ''
    const place = escaped.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
    return place.startsWith(`${root}/`) ? [place.slice(root.length + 1)] : []
  })
}

/** @returns undefined if nothing is there or it cannot be reached */
export function statsOf(absolute: string): BigIntStats | undefined {
  try {
    return lstatSync(absolute, { bigint: true })
  } catch {
    return undefined
  }
}
