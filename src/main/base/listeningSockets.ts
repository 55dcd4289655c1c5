import { readdir, readFile, readlink } from 'node:fs/promises'

// Reads /proc (proc(5)), so it finds nothing outside Linux.

/** A TCP socket at which a process listens. */
export interface ListeningSocket {
  inode: string
  table: 'tcp' | 'tcp6'
  /** In hexadecimal, in the byte order of the machine. */
  address: string
  port: number
}

/** State of a listening socket in /proc/net/tcp. */
const listening = '0A'

/** Returns the listening sockets in a process's network namespace. Empty if the process has exited. */
export async function listeningSockets(pid: number | 'self'): Promise<ListeningSocket[]> {
  const tables = await Promise.all(
    (['tcp', 'tcp6'] as const).map(async (table) => {
      const text = await readFile(`/proc/${pid}/net/${table}`, 'latin1').catch(() => '')
      return text.split('\n').flatMap((line): ListeningSocket[] => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
        const [address = '', hexadecimal = ''] = local.split(':')
        const port = Number.parseInt(hexadecimal, 16)
        return state === listening && Number.isInteger(port) ? [{ inode, table, address, port }] : []
      })
    }),
  )
  return tables.flat()
}

/**
 * Returns the inodes of the sockets that a process has open.
 * @throws Error if it has exited or belongs to another user
 */
export async function openSockets(pid: number | string): Promise<Set<string>> {
  const descriptors = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(
    descriptors.map((descriptor) => readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')),
  )
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []))
}
