import { readdir, readFile, readlink } from 'node:fs/promises'
import { isRunning, thisMachine, thisProcess } from '../base/processIdentity.ts'
import type { SessionUser } from './sessionRecords.ts'

/** This process, as a user of a session's worktree. */
export function thisUser(): SessionUser {
  return { ...thisProcess(), machine: thisMachine() }
}

/** Whether a process may still use a worktree. One of another machine counts as running. */
export function mayRun(user: SessionUser): boolean {
  return user.machine !== thisMachine() || isRunning(user)
}

/** Whether two records name the same process. */
export function isSameUser(one: SessionUser, other: SessionUser): boolean {
  return one.pid === other.pid && one.start === other.start && one.machine === other.machine
}

/**
 * Whether a process works in a worktree or names it in its arguments: for example git, which goes on when the Tizona
 * that started it is killed. Only known on Linux.
 */
export async function hasProcesses(worktree: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const inside = (file: string) => file === worktree || file.startsWith(`${worktree}/`)
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    // A shell or editor may name the folder in longer words.
    const isGit = /(?:^|\/)git(?:-[a-z-]+)?$/.test(words[0] ?? '')
    if (isGit && words.some((word) => inside(word.replace(/^--[a-z-]+=/, '')))) return true
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (inside(folder)) return true
  }
  return false
}
