import { readdir, readFile, readlink } from 'node:fs/promises'
import { statFields } from './processTree.ts'

/**
 * What the programs in a terminal's foreground are doing, as far as the system tells:
 * `reading`: one is blocked in a read of the terminal. `listening`: one sits in epoll with the terminal among its sources
 * (Node, libuv). `polling`: one sits in select or poll, on what cannot be seen. `busy`: none of these. `unknown`: the
 * system does not tell (not Linux, or another user's process such as sudo).
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
    // "0 0x3 0x7f…": the number of the call in decimal, its arguments; "running" on the processor. Linux proc(5).
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

/** Whether an epoll descriptor waits for input (EPOLLIN, 1) from a terminal; its fdinfo lists `tfd: N events: HEX`. */
async function watchesTerminal(pid: number, epoll: number): Promise<boolean> {
  const info = await readFile(`/proc/${pid}/fdinfo/${epoll}`, 'utf8').catch(() => '') // the process may have ended
  for (const [, target, events] of info.matchAll(/^tfd:\s*(\d+)\s+events:\s*([\da-f]+)/gim)) {
    if ((Number.parseInt(events ?? '0', 16) & 1) === 1 && (await isTerminal(pid, Number(target)))) return true
  }
  return false
}

async function threads(pid: number): Promise<string[]> {
  return readdir(`/proc/${pid}/task`).catch(() => []) // the process may have ended
}

async function descendants(leader: number): Promise<number[]> {
  const found = [leader]
  for (const pid of found) {
    for (const thread of await threads(pid)) {
      const children = await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '') // the thread may have ended
      for (const child of children.split(' ')) if (child !== '') found.push(Number(child))
    }
  }
  return found
}

/** How long nothing may have been written before a program counts as waiting, in milliseconds. */
const quiet = { reading: 700, listeningAtPrompt: 700, listening: 2500, prompt: 1500 }
/** The least silence after which looking makes sense. */
export const shortestQuiet = quiet.reading

/**
 * Whether a program waits for somebody to type. A blocked read of the terminal is proof; where that cannot be seen, a last
 * line that is unfinished and ends as a question does has to do, or a full screen that stands still (an editor). Silence
 * alone never is: compilers are silent.
 */
export function waitsForInput(
  activity: Activity,
  quietMs: number,
  screen: { lastLine: string; fullScreen: boolean },
): boolean {
  if (activity === 'busy') return false
  if (activity === 'reading') return quietMs >= quiet.reading
  // Prompt libraries and the key bindings of development servers alike: both will not end by themselves.
  if (activity === 'listening')
    return quietMs >= (screen.lastLine.trim() === '' ? quiet.listening : quiet.listeningAtPrompt)
  return quietMs >= quiet.prompt && (screen.fullScreen || looksLikePrompt(screen.lastLine))
}

/** UTF-16 units of a line's end that are looked at. */
const longestPrompt = 300

/** `Name: `, `Continue? `, `> `, `[Y/n] `, `(yes/no) `: an unfinished line that ends as questions end. */
export function looksLikePrompt(line: string): boolean {
  // A program may write a line of megabytes, and the expression backtracks: what asks is at its end.
  return /(?:[?:>]|[[(](?:y|n|yes|no)\s*\/\s*[^)\]]*[\])])\s*$/i.test(line.slice(-longestPrompt))
}
