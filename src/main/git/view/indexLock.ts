import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import type { GitLock } from '../../../shared/git/git.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { runProgram } from '../../base/startProcess.ts'
import type { FoundRepository } from './findRepositories.ts'

/** Returns the index lock and the git processes that may hold it. */
export async function readLock(found: Pick<FoundRepository, 'gitDir' | 'workTree'>): Promise<GitLock> {
  const lock = path.join(found.gitDir, 'index.lock')
  const stats = await stat(lock).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (!stats) return { path: null, createdAt: null, processes: [], removable: false }
  const processes = await gitProcesses(found)
  return { path: lock, createdAt: Math.round(stats.mtimeMs), processes, removable: processes.length === 0 }
}

/** Removes a lock that no process holds. @throws ToolError `conflict` if one may hold it */
export async function removeLock(found: Pick<FoundRepository, 'gitDir' | 'workTree'>): Promise<void> {
  const { path: lock, processes, removable } = await readLock(found)
  if (lock === null) return
  if (!removable) {
    const names = processes.map(({ pid, command }) => `${command} (${pid})`).join(', ')
    throw new ToolError(
      'conflict',
      `The lock file was not removed, because git is running: ${names}.`,
      'Wait until it has finished.',
      {
        reason: 'locked',
      },
    )
  }
  await rm(lock, { force: true })
}

type GitProcesses = GitLock['processes']
const maxCommand = 200

async function gitProcesses(found: Pick<FoundRepository, 'gitDir' | 'workTree'>): Promise<GitProcesses> {
  if (process.platform === 'linux') return linuxProcesses(found)
  // These systems do not report a process's folder, so every git process counts.
  const [program, args] =
    process.platform === 'win32'
      ? ['tasklist', ['/fi', 'imagename eq git.exe', '/fo', 'csv', '/nh']]
      : ['ps', ['-axo', 'pid=,command=']]
  const { stdout } = await runProgram(program, args)
  return stdout.split('\n').flatMap((line) => {
    const found = /^(?:"git\.exe",")?(\d+)["\s]/.exec(line.trimStart())
    const pid = found?.[1]
    const command = line.trimStart().slice(found?.[0].length).trimStart()
    const isGit = process.platform === 'win32' || /^(?:\S*\/)?git(?:\s|$)/.test(command)
    return pid !== undefined && isGit ? [{ pid: Number(pid), command: command.slice(0, maxCommand) || 'git' }] : []
  })
}

/** Lists git processes that work in a repository, according to their folder or arguments. */
async function linuxProcesses({
  gitDir,
  workTree,
}: Pick<FoundRepository, 'gitDir' | 'workTree'>): Promise<GitProcesses> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter((part) => part !== '')
        if (!/^git(?:-|$)/.test(path.basename(command[0] ?? ''))) return []
        const folder = await readlink(`/proc/${pid}/cwd`)
        const isHere = (place: string) =>
          place === workTree || place.startsWith(`${workTree}/`) || place.startsWith(gitDir)
        const names = command.some((part) => isHere(part.replace(/^--[a-z-]+=/, '')))
        return isHere(folder) || names ? [{ pid: Number(pid), command: command.join(' ').slice(0, maxCommand) }] : []
      } catch (error) {
        // It has exited, or belongs to another user.
        if (errorCode(error) === undefined) throw error
        return []
      }
    }),
  )
  return found.flat()
}
