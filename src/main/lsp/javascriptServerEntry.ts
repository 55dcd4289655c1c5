import Module from 'node:module'
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import net from 'node:net'
import { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { parentChannel } from '../base/parentChannel.ts'

// Process entry for a JavaScript language server. The server uses standard input and output, which an Electron utility
// process does not have, so message streams to the parent replace both.

export type ToServerProcess = { input: Uint8Array }
export type FromServerProcess = { output: Uint8Array } | { error: Uint8Array }

const parent = parentChannel()

const input = new Readable({ read: () => undefined })
parent.onMessage((message) => {
  // Sent by launchServer.ts.
  input.push(Buffer.from((message as ToServerProcess).input))
})

function outputStream(wrap: (bytes: Uint8Array) => FromServerProcess): Writable {
  return new Writable({
    write(chunk: Buffer | string, encoding, done) {
      parent.post(wrap(new Uint8Array(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)))
      done()
    },
  })
}

const [own = '{}', ...args] = process.argv.slice(2)
// Written by launchServer.ts.
const { script, cwd, guarded } = JSON.parse(own) as { script: string; cwd: string; guarded: boolean }
const replaced = {
  stdin: input,
  stdout: outputStream((output) => ({ output })),
  stderr: outputStream((error) => ({ error })),
}
for (const [name, stream] of Object.entries(replaced))
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream })
// Node prints the reason for a crash to the descriptor, not to the server's log. The process still exits.
process.on('uncaughtExceptionMonitor', (error) =>
  parent.post({ error: Buffer.from(`${error.stack ?? error.message}\n`) }),
)
process.chdir(cwd)
if (guarded) guard()
process.argv = [process.argv[0] ?? 'node', script, ...args]
// Some servers only start as the main module. Node's types do not declare this function.
const { runMain } = Module as { runMain?(file: string): void }
if (runMain) runMain(script)
else await import(pathToFileURL(script).href)

/**
 * Prevents connections and further processes. This is not a sandbox: it is for servers that Tizona installed, which
 * only do what a configuration names: fetch a `$schema`, or start a folder's interpreter.
 */
function guard(): void {
  const refuse = (): never => {
    throw Object.assign(
      new Error('Tizona allows this language server neither network connections nor child processes.'),
      {
        code: 'EACCES',
      },
    )
  }
  net.Socket.prototype.connect = refuse
  net.Server.prototype.listen = refuse
  dgram.createSocket = refuse
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)
    Object.assign(childProcess, { [name]: refuse })
  Module.syncBuiltinESMExports()
}
