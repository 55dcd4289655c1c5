import { readdir, readFile, readlink } from 'node:fs/promises'
import { statFields } from './processTree.ts'

/**
 * Activity of the programs in a terminal's foreground:
 * `reading`: blocked reading the terminal. `listening`: in epoll with the terminal as a source (Node, libuv).
 * `polling`: in select or poll with unknown sources. `busy`: none of these. `unknown`: no information, because the
 * system is not Linux or the process belongs to another user (sudo).
 */
export type Activity = 'reading' | 'listening' | 'polling' | 'busy' | 'unknown'

interface SystemCalls {
  read: readonly number[]
  epoll: readonly number[]
  poll: readonly number[]
}
const systemCalls: Partial<Record<NodeJS.Architecture, SystemCalls>> = {
  // read, readv · epoll_wait, epoll_pwait, epoll_pwait2 · poll, select, pselect6, ppoll
  x64: { read: [0, 19], epoll: [232, 281, 441], poll: [7, 23, 270, 271] },
  arm64: { read: [63, 65], epoll: [22, 441], poll: [72, 73] },
}

/** @param leader pid of the terminal's session leader */
export async function foregroundActivity(leader: number): Promise<Activity> {
  const calls = systemCalls[process.arch]
  if (process.platform !== 'linux' || calls === undefined) return 'unknown'
  const foreground = (await statFields(leader))?.[5]
  if (foreground === undefined) return 'busy'
  let strongest: Activity = 'busy'
  const order: Activity[] = ['busy', 'unknown', 'polling', 'listening', 'reading']
  for (const pid of await descendants(leader)) {
    if ((await statFields(pid))?.[2] !== foreground) continue
    const activity = await processActivity(pid, calls)
    if (order.indexOf(activity) > order.indexOf(strongest)) strongest = activity
    if (strongest === 'reading') break
  }
  return strongest
}

async function processActivity(pid: number, calls: SystemCalls): Promise<Activity> {
  let result: Activity = 'busy'
  for (const thread of await threads(pid)) {
    // "0 0x3 0x7f…": the system call number in decimal and its arguments, or "running" (proc(5)).
    const text = await readFile(`/proc/${pid}/task/${thread}/syscall`, 'utf8').catch((error: unknown) =>
      error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EACCES') ? 'denied' : '',
    )
    if (text === 'denied') return 'unknown'
    const [number = '', descriptor = ''] = text.split(' ')
    const call = Number(number)
    if (!/^\d+$/.test(number)) continue
    if (calls.read.includes(call) && (await isTerminal(pid, Number(descriptor)))) return 'reading'
    if (calls.epoll.includes(call) && (await watchesTerminal(pid, Number(descriptor)))) result = 'listening'
    if (calls.poll.includes(call) && result === 'busy') result = 'polling'
  }
  return result
}

async function isTerminal(pid: number, descriptor: number): Promise<boolean> {
  try {
    return /^\/dev\/(?:pts\/\d+|tty)$/.test(await readlink(`/proc/${pid}/fd/${descriptor}`))
  } catch {
    return false // closed in the meantime
  }
}

/**
 * Whether an epoll descriptor waits for input (EPOLLIN, 1) from a terminal. Its fdinfo contains `tfd: N events: HEX`.
 */
async function watchesTerminal(pid: number, epoll: number): Promise<boolean> {
  const info = await readFile(`/proc/${pid}/fdinfo/${epoll}`, 'utf8').catch(() => '') // the process may have exited
  for (const [, target, events] of info.matchAll(/^tfd:\s*(\d+)\s+events:\s*([\da-f]+)/gim)) {
    if ((Number.parseInt(events ?? '0', 16) & 1) === 1 && (await isTerminal(pid, Number(target)))) return true
  }
  return false
}

async function threads(pid: number): Promise<string[]> {
  return readdir(`/proc/${pid}/task`).catch(() => []) // the process may have exited
}

/** Returns a process and its descendants, parents first. */
export async function descendants(leader: number): Promise<number[]> {
  const found = [leader]
  for (const pid of found) {
    for (const thread of await threads(pid)) {
      // The thread may have exited.
      const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')
      for (const child of children.split(' ')) if (child !== '') found.push(Number(child))
    }
  }
  return found
}

/** Minimum silence before a program counts as waiting, in milliseconds. */
const minQuiet = { reading: 700, listeningAtPrompt: 700, listening: 2500, prompt: 1500 }
/** Minimum silence before a check is useful, in milliseconds. */
export const minQuietMs = minQuiet.reading

/**
 * Whether a program waits for user input. A blocked read of the terminal is certain. Without that information, an
 * unfinished last line that looks like a question counts, or a static full screen (an editor). Silence alone does not,
 * because compilers are silent too.
 */
export function waitsForInput(
  activity: Activity,
  quietMs: number,
  screen: { lastLine: string; fullScreen: boolean },
): boolean {
  if (activity === 'busy') return false
  if (activity === 'reading') return quietMs >= minQuiet.reading
  // Prompt libraries and development servers with key bindings. Neither exits on its own.
  if (activity === 'listening')
    return quietMs >= (screen.lastLine.trim() === '' ? minQuiet.listening : minQuiet.listeningAtPrompt)
  return quietMs >= minQuiet.prompt && (screen.fullScreen || looksLikePrompt(screen.lastLine))
}

/** Number of UTF-16 units checked at the end of a line. */
const maxPromptLength = 300

/** Whether an unfinished line ends like a question (`Name: `, `Continue? `, `> `, `[Y/n] `, `(yes/no) `) or a shell's prompt. */
export function looksLikePrompt(line: string): boolean {
  // Checks only the end, because a line can be megabytes long and the expression backtracks.
  return /(?:\S[$#] |[?:>]|[[(](?:y|n|yes|no)\s*\/\s*[^)\]]*[\])])\s*$/i.test(line.slice(-maxPromptLength))
}
