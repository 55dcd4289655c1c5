import { readFile } from 'node:fs/promises'
import { isInside } from './paths.ts'

/** Flag of a socket that accepts connections (__SO_ACCEPTCON). */
const accepting = 0x10000

/**
 * Returns the sockets in a folder to which a program outside the sandbox listens. A mount does not keep a command from
 * connecting. Those that were bound by a relative path are not found.
 * @param folder real path
 */
export async function liveSockets(folder: string): Promise<string[]> {
  // Num RefCount Protocol Flags Type St Inode Path (proc_net(5))
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  const found = table.split('\n').flatMap((line) => {
    const start = line.indexOf(' /')
    const flags = Number.parseInt(line.split(/ +/)[3] ?? '', 16)
    const file = start < 0 ? '' : line.slice(start + 1)
    return (flags & accepting) !== 0 && file !== '' && isInside(file, folder) ? [file] : []
  })
  return [...new Set(found)]
}
