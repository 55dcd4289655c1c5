import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { listeningSockets, openSockets } from '../base/listeningSockets.ts'
import { installation, runProgram } from '../base/startProcess.ts'

/** Addresses to connect to, by port. */
export type FolderPorts = ReadonlyMap<number, string>

/**
 * Finds the ports on loopback or all addresses at which processes listen whose working directory is in a folder. Tizona
 * does not count, nor do other processes of this installation. Empty on Windows, which does not show working directories.
 * @param folders real paths
 */
export async function folderPorts(folders: readonly string[]): Promise<FolderPorts> {
  if (process.platform === 'linux') return linuxPorts(folders)
  if (process.platform === 'darwin') return macPorts(folders)
  return new Map()
}

const isInside = (folder: string, roots: readonly string[]): boolean =>
  roots.some((root) => folder === root || folder.startsWith(root + path.sep))

async function linuxPorts(roots: readonly string[]): Promise<FolderPorts> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = new Map<number, string>()
  let sockets: Awaited<ReturnType<typeof localSockets>> | undefined
  for (const pid of pids) {
    try {
      if (!isInside(await readlink(`/proc/${pid}/cwd`), roots)) continue
      if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(path.join(installation(), 'out'))) continue
      // Only what shares the network of Tizona can be reached: commands in the sandbox have their own.
      if ((await readlink(`/proc/${pid}/ns/net`)) !== (await readlink('/proc/self/ns/net'))) continue
      sockets ??= await localSockets()
      for (const inode of await openSockets(pid)) {
        const socket = sockets.get(inode)
        if (socket && found.get(socket.port) !== ipv4) found.set(socket.port, socket.address)
      }
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return found
}

const ipv4 = '127.0.0.1'
const ipv6 = '::1'

/** Returns listening sockets on loopback or all addresses, by inode. */
async function localSockets(): Promise<Map<string, { port: number; address: string }>> {
  return new Map(
    (await listeningSockets('self')).flatMap(({ inode, table, address, port }) => {
      // In hexadecimal: 0.0.0.0, ::, 127.0.0.1 or ::1 in the byte order of the machine.
      const isLocal = /^0+$/.test(address) || address.endsWith('0100007F') || address === '0'.repeat(24) + '01000000'
      const isIpv4 = table === 'tcp' || address === '0000000000000000FFFF00000100007F'
      return isLocal ? [[inode, { port, address: isIpv4 ? ipv4 : ipv6 }] as const] : []
    }),
  )
}

async function macPorts(roots: readonly string[]): Promise<FolderPorts> {
  const found = new Map<number, string>()
  const fields = async (...args: string[]): Promise<string[]> =>
    (await runProgram('lsof', args).catch(() => ({ stdout: '' }))).stdout.split('\n')
  const ports = new Map<string, [number, string][]>()
  let pid = ''
  for (const line of await fields('-a', '-iTCP', '-sTCP:LISTEN', '-P', '-n', '-Fpn')) {
    if (line.startsWith('p')) pid = line.slice(1)
    const [, host, port] = /^n(\*|127\.0\.0\.1|\[::1\]):(\d+)$/.exec(line) ?? []
    if (port !== undefined && Number(pid) !== process.pid)
      ports.set(pid, [...(ports.get(pid) ?? []), [Number(port), host === '[::1]' ? ipv6 : ipv4]])
  }
  if (ports.size === 0) return found
  for (const line of await fields('-a', '-p', [...ports.keys()].join(','), '-d', 'cwd', '-Fpn')) {
    if (line.startsWith('p')) pid = line.slice(1)
    if (line.startsWith('n') && isInside(line.slice(1), roots))
      for (const each of ports.get(pid) ?? []) found.set(...each)
  }
  return found
}
