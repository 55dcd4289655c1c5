import { lstatSync, readFileSync, type BigIntStats } from 'node:fs'
import path from 'node:path'

/** What determines which folders are at a workspace's paths, and whether file times can be compared. */
export interface Surroundings {
  /** Changes if another folder is at the root's path, or if something was mounted. */
  text: string
  /** Files that are mount points. Changes through their other path are not reported. */
  mountedFiles: string[]
  /** Milliseconds between the clock and monotonic time. */
  clock: number
}

/** Milliseconds of a clock step from which times before and after it are not compared. */
export const clockStepMs = 100

/** @throws system errors */
export function surroundingsOf(root: string): Surroundings {
  const { dev, ino } = lstatSync(root)
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const mountedFiles = mountPointsWithin(root, mounts).filter(
    (place) => statsOf(path.join(root, place))?.isDirectory() === false,
  )
  return { text: `${dev} ${ino}\n${mounts}`, mountedFiles, clock: Date.now() - performance.now() }
}

/** Whether neither root, mounts nor clock have changed in between. */
export function isSameSurroundings(one: Surroundings, other: Surroundings): boolean {
  return one.text === other.text && Math.abs(one.clock - other.clock) < clockStepMs
}

/** Returns the paths in a folder at which something is mounted, from the text of proc_pid_mountinfo(5). */
export function mountPointsWithin(root: string, mounts: string): string[] {
  return mounts.split('\n').flatMap((line) => {
    const escaped = line.split(' ')[4] ?? ''
    const place = escaped.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
    return place.startsWith(`${root}/`) ? [place.slice(root.length + 1)] : []
  })
}

/** @returns undefined if it does not exist or is not accessible */
export function statsOf(absolute: string): BigIntStats | undefined {
  try {
    return lstatSync(absolute, { bigint: true })
  } catch {
    return undefined
  }
}
