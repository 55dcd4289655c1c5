import { openSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DebugProtocol } from '@vscode/debugprotocol'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { ToolError } from '../../shared/errors.ts'
import { quoteWord } from '../base/quoteWord.ts'
import type { StartTerminalProgram } from '../command/commandTypes.ts'
import {
  connectTo,
  listenOnce,
  type AdapterInvocation,
  type AdapterProcess,
  type AdapterStreams,
} from './adapterProcess.ts'

/** Milliseconds for the first connection, and for the script to end after its adapter. */
const connectTimeout = 20_000
const finishTimeout = 2000
/** Milliseconds until a program runs. */
const programTimeout = 5000
/** Characters kept of what an adapter prints. */
const maxPrinted = 20_000

/**
 * Runs the adapter in the background, and the debugged program in the terminal once it is known. Both are in one sandbox,
 * because the adapter connects to the program. An adapter that connects to Tizona's socket is in the terminal, whose
 * input its program gets. $1 is the private folder, $2 the transport, the rest the command line of the adapter.
 */
const script = `folder=$1
transport=$2
shift 2
[ $transport != connectsToSocket ] || exec "$@"
[ $transport != stdio ] || mkfifo "$folder/in" "$folder/out"
: >"$folder/ready"
{
  if [ $transport = stdio ]
  then "$@" <"$folder/in" >"$folder/out" 2>"$folder/printed"
  else "$@" </dev/null >"$folder/printed" 2>&1
  fi
  # The program may be about to end.
  [ -e "$folder/finished" ] || sleep 0.5
  [ -e "$folder/finished" ] || kill -9 $$
} &
adapter=$!
while [ ! -e "$folder/program" ]; do sleep 0.05; done
. "$folder/program"
code=$?
: >"$folder/finished"
while kill -0 $adapter 2>/dev/null && [ ! -e "$folder/over" ]; do sleep 0.05; done
exit $code
`

/**
 * Starts a debug adapter that runs the debugged program in a terminal of the window, where the user can type into it.
 * @param title command line of the program, for the window
 * @throws ToolError `io_error`, `timeout`, `server_error`
 */
export async function startTerminalAdapter(
  { title: name, transport, program, args, cwd, env, readable }: AdapterInvocation,
  title: string,
  start: StartTerminalProgram,
  signal: AbortSignal,
): Promise<AdapterProcess> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tizona-debug-'))
  const at = (file: string): string => path.join(folder, file)
  const listener = transport === 'connectsToSocket' ? await listenOnce(at('dap')) : undefined
  const terminal = await start(
    {
      title,
      program: '/bin/sh',
      args: ['-c', script, 'sh', folder, transport, program, ...args(at('dap'))],
      cwd,
      folders: [folder],
      readable,
      ...(env && { env }),
    },
    signal,
  ).catch(async (error: unknown) => {
    listener?.close()
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  const open = new Set<net.Socket>()
  let printed = ''
  const exited = terminal.ended.then(async () => {
    printed = (await readFile(at('printed'), 'utf8').catch(() => '')).slice(-maxPrinted)
    for (const connection of open) connection.destroy()
    listener?.close()
    await rm(folder, { recursive: true, force: true })
    return 'the terminal was closed'
  })

  function keep(connection: net.Socket): net.Socket {
    open.add(connection)
    connection.once('close', () => open.delete(connection))
    connection.on('error', () => undefined)
    return connection
  }
  const connectSignal = (given: AbortSignal): AbortSignal => {
    const stop = new AbortController()
    void exited.then(() => stop.abort(new ToolError('server_error', `${name} ended before it was ready.`)))
    return AbortSignal.any([given, stop.signal, AbortSignal.timeout(connectTimeout)])
  }
  function streamsOf(connection: net.Socket): AdapterStreams {
    keep(connection)
    return { input: connection, output: connection, close: () => connection.destroy() }
  }
  async function connect(given: AbortSignal): Promise<AdapterStreams> {
    const stop = connectSignal(given)
    if (listener === undefined) return streamsOf(await connectTo(at('dap'), stop))
    return streamsOf(await untilAborted(listener.connection, stop))
  }
  async function openPipes(): Promise<AdapterStreams> {
    for (const ready = connectSignal(signal); !(await exists(at('ready')));)
      await sleep(20, undefined, { signal: ready })
    // Opened for both, so that opening does not wait for the other end.
    const input = keep(new net.Socket({ fd: openSync(at('in'), 'r+'), readable: false, writable: true }))
    const output = keep(new net.Socket({ fd: openSync(at('out'), 'r+'), readable: true, writable: false }))
    return {
      input,
      output,
      close() {
        input.destroy()
        output.destroy()
      },
    }
  }
  async function end(): Promise<void> {
    for (const connection of open) connection.destroy()
    // The terminal shows how a program ended that ended by itself.
    await writeFile(at('over'), '').catch(() => undefined)
    await raceTimeout(exited, finishTimeout)
    await terminal.end()
    await exited
  }

  const streams = await (transport === 'stdio' ? openPipes() : connect(signal)).catch(async (error: unknown) => {
    await end()
    throw error
  })
  return {
    streams,
    connect,
    terminal: {
      id: terminal.id,
      ...(listener === undefined && { run: (request) => runProgram(folder, request, connectSignal(signal)) }),
    },
    printed: () => printed,
    exited,
    end,
  }
}

/** Runs the program in the terminal whose private folder this is. @returns its process id in the sandbox */
async function runProgram(
  folder: string,
  request: DebugProtocol.RunInTerminalRequestArguments,
  signal: AbortSignal,
): Promise<DebugProtocol.RunInTerminalResponse['body']> {
  const [program, pid] = [path.join(folder, 'program'), path.join(folder, 'pid')]
  if (await exists(program)) throw new Error('The terminal already runs a program.')
  await writeFile(`${program}.new`, programScript(request, pid))
  await rename(`${program}.new`, program)
  const stop = AbortSignal.any([signal, AbortSignal.timeout(programTimeout)])
  for (;;) {
    // js-debug takes the first Node for the program without it, although a shell may start several.
    const processId = Number.parseInt(await readFile(pid, 'utf8').catch(() => ''), 10)
    if (processId > 0) return { processId }
    if (stop.aborted) return {}
    await sleep(20)
  }
}

/** Resolves like the promise, or rejects once `signal` aborts. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

/** Returns shell commands that run the program. @param pidFile gets its process id in the sandbox */
function programScript({ cwd, args, env = {} }: DebugProtocol.RunInTerminalRequestArguments, pidFile: string): string {
  const variables = Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => (value === null ? `unset ${name}` : `export ${name}=${quoteWord(value)}`))
  const folder = cwd === '' ? [] : [`cd ${quoteWord(cwd)} || exit 1`]
  const words = ['sh', '-c', 'echo $$ >"$1"; shift; exec "$@"', 'sh', pidFile, ...args]
  return `(\n${[...folder, ...variables, `exec ${words.map(quoteWord).join(' ')}`].join('\n')}\n)\n`
}
