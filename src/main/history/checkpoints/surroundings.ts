import { lstatSync, readFileSync, type BigIntStats } from 'node:fs'
import path from 'node:path'
import { absoluteIn, folderPaths, topFolders, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { childPath } from './entries.ts'

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
export function surroundingsOf(workspace: WorkspaceRoots): Surroundings {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const identities = folderPaths(workspace).map((folder) => {
    const { dev, ino } = lstatSync(folder)
    return `${dev} ${ino}\n`
  })
  const mountedFiles = topFolders(workspace).flatMap((top) => {
    const folder = absoluteIn(workspace, top)
    return mountPointsWithin(folder, mounts)
      .filter((place) => statsOf(path.join(folder, place))?.isDirectory() === false)
      .map((place) => childPath(top, place))
  })
  return { text: `${identities.join('')}${mounts}`, mountedFiles, clock: Date.now() - performance.now() }
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
