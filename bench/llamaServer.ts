import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

const startMs = 60_000

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const listener = createServer()
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

/** Starts a real llama-server with one slot and a chat template on a free port. @param window in tokens */
export async function startLlamaServer(
  binary: string,
  gguf: string,
  template: string,
  window = 16_384,
): Promise<{ process: ChildProcess; baseUrl: string }> {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const process = spawn(
    binary,
    [
      '-m',
      gguf,
      '--jinja',
      '--chat-template-file',
      template,
      '-c',
      String(window),
      '-np',
      '1',
      // More threads than idle cores make it many times slower.
      '-t',
      '1',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    { stdio: 'ignore' },
  )
  for (const until = Date.now() + startMs; Date.now() < until && process.exitCode === null;) {
    const answer = await fetch(`${baseUrl}/health`).catch(() => undefined)
    if (answer?.ok) return { process, baseUrl }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  process.kill()
  throw new Error(`llama-server did not start with ${template}.`)
}
