import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Reads the one-time address from the browser shell's output. */
export async function printedAddress(server: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      // A chunk may end in the middle of the address.
      const address = /(http:\/\/127\.0\.0\.1:\d+\/#token=\S+)\s/.exec(printed)?.[1]
      if (address) resolve(address)
    })
    server.once('exit', (code) =>
      reject(new Error(`The browser shell ended with ${code} before it printed an address:\n${printed}`)),
    )
  })
}

/** Ends a child that the caller started. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Ends a child that leads a process group of its own, with everything in it. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await exited
}
