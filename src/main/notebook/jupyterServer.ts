import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import type { WebSocket } from 'ws'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import { ToolError } from '../../shared/errors.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'

/** Milliseconds until Jupyter must answer. The first start compiles its modules. */
const startTimeout = 60_000
/** Milliseconds between attempts to reach it. */
const startInterval = 100
/** Milliseconds for a request to it. */
const requestTimeout = 30_000
/** Characters kept of what it prints. */
const maxPrinted = 20_000
/** Bytes of a response, and of a message of a kernel. */
const maxResponse = 10_000_000
const maxMessage = 64_000_000

/** A running Jupyter server, reached through a Unix socket in a private folder. */
export interface JupyterServer {
  /** Sends a request to its REST interface. @throws ToolError `server_error`, `timeout` */
  request(method: 'GET' | 'POST' | 'DELETE', resource: string, body?: object): Promise<unknown>
  /** Connects to the channels of a kernel. */
  channels(kernelId: string, sessionId: string): WebSocket
  readonly exited: Promise<string>
  readonly sandbox: CommandSandbox
  /** The last part of what it printed. */
  printed(): string
  /** Ends it with its kernels. */
  end(): Promise<void>
}

interface JupyterOptions {
  python: string
  /** Real path of the workspace. */
  root: string
  startProgram: StartPipedProgram
}

/**
 * Starts a Jupyter server in the sandbox of commands. Its kernels run in the same sandbox, and talk to it through sockets
 * in the private folder. It reads no configuration of the user.
 * @throws ToolError `io_error`, `timeout`, `server_error` with what it printed
 */
export async function startJupyter(
  { python, root, startProgram }: JupyterOptions,
  signal: AbortSignal,
): Promise<JupyterServer> {
  // Only now, because few starts need it.
  const { WebSocket: Socket } = await import('ws')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tizona-nb-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const socket = path.join(folder, 's')
  const token = randomBytes(24).toString('hex')
  let started
  try {
    started = await startProgram(
      {
        program: python,
        args: serverArguments(socket, root),
        cwd: root,
        access: 'sandbox',
        folders: [folder],
        env: {
          JUPYTER_TOKEN: token,
          JUPYTER_RUNTIME_DIR: path.join(folder, 'r'),
          JUPYTER_CONFIG_DIR: path.join(folder, 'c'),
          JUPYTER_NO_CONFIG: '1',
          IPYTHONDIR: path.join(folder, 'i'),
          PYDEVD_DISABLE_FILE_VALIDATION: '1',
        },
      },
      signal,
    )
  } catch (error) {
    await removeFolder()
    throw error
  }
  const { child, end, release } = started
  let printed = ''
  const print = (chunk: Buffer): void => {
    printed = (printed + chunk.toString('utf8')).slice(-maxPrinted)
  }
  child.stdout.on('data', print)
  child.stderr.on('data', print)
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => print(Buffer.from(`${error.message}\n`)))
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  let reason: string | undefined
  child.once('exit', (code, exitSignal) => {
    reason = exitSignal === null ? `exit code ${code}` : `signal ${exitSignal}`
    resolve(reason)
    // A sandbox that cannot be cleaned up now is cleaned up at the next start.
    void Promise.allSettled([release(), removeFolder()])
  })
  const server: JupyterServer = {
    request: (method, resource, body) => send({ socket, token, method, resource, body }),
    channels: (kernelId, sessionId) =>
      new Socket(`ws+unix://${socket}:/api/kernels/${kernelId}/channels?session_id=${sessionId}`, {
        headers: { Authorization: `token ${token}` },
        maxPayload: maxMessage,
        handshakeTimeout: requestTimeout,
      }),
    exited,
    sandbox: started.sandbox,
    printed: () => printed,
    end,
  }
  try {
    await waitUntilReady(server, () => reason, signal)
  } catch (error) {
    await end()
    throw error
  }
  return server
}

/** First part of code for Python's `-c`. Modules of the working folder must not take the place of Jupyter's. */
export const withoutFolder = 'import sys; sys.path = [entry for entry in sys.path if entry]; '

function serverArguments(socket: string, root: string): string[] {
  return [
    '-c',
    `${withoutFolder}from jupyter_server.serverapp import main; main()`,
    `--ServerApp.sock=${socket}`,
    `--ServerApp.root_dir=${root}`,
    '--ServerApp.open_browser=False',
    '--ServerApp.allow_root=True',
    '--ServerApp.use_redirect_file=False',
    '--ServerApp.terminals_enabled=False',
    '--ServerApp.jpserver_extensions={}',
    '--ServerApp.log_level=WARN',
    // Kernels listen on sockets in the private folder instead of ports.
    '--KernelManager.transport=ipc',
    // Pictures of some megabytes are below this. A flood is dropped by Jupyter, which says so.
    '--ZMQChannelsWebsocketConnection.iopub_data_rate_limit=20000000',
    '--ZMQChannelsWebsocketConnection.iopub_msg_rate_limit=5000',
  ]
}

async function waitUntilReady(
  server: JupyterServer,
  exitReason: () => string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const late = AbortSignal.timeout(startTimeout)
  for (;;) {
    signal.throwIfAborted()
    const reason = exitReason()
    if (reason !== undefined)
      throw new ToolError('server_error', `Jupyter ended before it was ready (${reason}).`, '', {
        detail: server.printed().trim(),
      })
    if (late.aborted)
      throw new ToolError('timeout', `Jupyter was not ready within ${startTimeout / 1000} s.`, '', {
        detail: server.printed().trim(),
      })
    try {
      await server.request('GET', '/api/status')
      return
    } catch {
      // It does not listen yet.
      await new Promise((wake) => setTimeout(wake, startInterval))
    }
  }
}

interface Message {
  socket: string
  token: string
  method: string
  resource: string
  body: object | undefined
}

function send({ socket, token, method, resource, body }: Message): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const failed = (error: Error): void =>
    reject(new ToolError('server_error', `Jupyter does not respond: ${error.message}`, 'Restart the kernel.'))
  const outgoing = http.request(
    {
      socketPath: socket,
      path: resource,
      method,
      timeout: requestTimeout,
      headers: { Host: 'localhost', Authorization: `token ${token}`, 'Content-Type': 'application/json' },
    },
    (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxResponse) outgoing.destroy(new Error('the response is too long'))
      })
      response.on('error', failed)
      response.on('end', () => {
        const { statusCode = 0 } = response
        if (statusCode >= 300)
          return failed(new Error(`${method} ${resource} failed with ${statusCode}. ${text.slice(0, 500)}`))
        try {
          resolve(text === '' ? null : JSON.parse(text))
        } catch {
          failed(new Error('the response is no JSON'))
        }
      })
    },
  )
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${requestTimeout / 1000} s`)))
  outgoing.on('error', failed)
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}
