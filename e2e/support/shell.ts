import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Waits for the one-time address in the output of the browser host. */
export async function printedAddress(server: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      // A chunk can end within the address.
      const address = /(http:\/\/127\.0\.0\.1:\d+\/#token=\S+)\s/.exec(printed)?.[1]
      if (address) resolve(address)
    })
    server.once('exit', (code) =>
      reject(new Error(`The browser host ended with ${code} before it printed an address:\n${printed}`)),
    )
  })
}

/** Sends a signal to a child process and waits for its exit. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Ends a child process with its whole process group. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await exited
}
