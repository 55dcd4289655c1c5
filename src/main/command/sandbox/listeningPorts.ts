import { readFile } from 'node:fs/promises'

/** State of a listening socket in /proc/net/tcp. */
const listening = '0A'

/** Returns the TCP ports on which processes in the network namespace of a process listen. Linux only. */
export async function listeningPorts(pid: number): Promise<number[]> {
  // The process may have ended.
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  )
  return [...new Set(tables.flatMap(parseListening))].toSorted((a, b) => a - b)
}

/** Parses /proc/net/tcp (proc(5)). Pure. */
function parseListening(table: string): number[] {
  return table.split('\n').flatMap((line) => {
    const [, local, , state] = line.trim().split(/\s+/)
    const port = Number.parseInt(local?.split(':')[1] ?? '', 16)
    return state === listening && Number.isInteger(port) ? [port] : []
  })
}
