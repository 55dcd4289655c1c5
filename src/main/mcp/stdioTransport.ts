import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolError } from '../../shared/errors.ts'
import { startProcess } from '../base/startProcess.ts'
import type { McpDefinition } from '../../shared/mcp.ts'
import { createBoundedLines, type OversizedLine } from '../base/boundedLines.ts'
import { oversizedAnswer, endlessLog, maxMessage, maxSkipped, oversizedLog } from './oversizedMessages.ts'
import type { ServerLog } from './serverLog.ts'

/** How a process and all that it started is found and ended (command/processTree.ts). */
export interface ProcessEnding {
  /** A variable that marks a process's descendants. */
  variable: string
  /** The mark of a process that is about to be started; from then on the next start of Tizona ends what a killed one left behind. */
  begin(): Promise<string>
  started(pid: number): void
  end(root: number, mark: string): Promise<void>
}

interface StdioOptions {
  definition: Extract<McpDefinition, { type: 'stdio' }>
  /** The workspace. */
  cwd: string
  log: ServerLog
  processes: ProcessEnding
}

/** Lines of standard output that are no messages and are told; a server that prints there would fill the log with nothing else. */
const maxForeignLineNotices = 20

/**
 * A server as a child process. Not the SDK's transport, which starts no process group and so leaves behind what `npx` or a wrapper
 * script started: here the group and all its descendants are ended, also when the server went first.
 * Started without a shell, with the SDK's short list of inherited variables (PATH, HOME, …) and those of the definition.
 */
export function createStdioTransport({ definition, cwd, log, processes }: StdioOptions): Transport {
  let mark = ''
  const lines = createBoundedLines(maxMessage)
  let child: ChildProcess | undefined
  let closing: Promise<void> | undefined
  let foreignLines = 0

  const transport: Transport = {
    async start() {
      const { command, args, env } = definition
      mark = await processes.begin()
      const started = startProcess(command, args, {
        cwd,
        env: { ...getDefaultEnvironment(), ...env, [processes.variable]: mark },
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      started.stdin.on('error', (error) => log.add(`Its standard input: ${error.message}`))
      started.stdout.on('data', (chunk: Buffer) => read(chunk))
      started.stderr.on('data', (chunk: Buffer) => log.write(chunk))
      started.on('exit', (code, signal) => {
        log.add(signal === null ? `It ended with code ${code}.` : `It was ended by ${signal}.`)
        void transport.close()
      })
      try {
        await once(started, 'spawn')
      } catch (error) {
        throw startFailure(command, error)
      }
      child = started
      if (started.pid !== undefined) processes.started(started.pid)
      // From here on a failure comes as `exit`.
      started.on('error', (error) => log.add(error.message))
    },
    async send(message) {
      const stdin = child?.stdin
      if (!stdin?.writable) throw new Error('The server is not running.')
      if (!stdin.write(serializeMessage(message))) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')])
    },
    close() {
      closing ??= end()
      return closing
    },
  }

  function read(chunk: Buffer): void {
    if (closing !== undefined) return
    for (const line of lines.push(chunk)) {
      if ('head' in line) answerOversized(line)
      else receive(line)
    }
    if (lines.pending() <= maxSkipped) return
    log.add(endlessLog)
    void transport.close()
  }

  function receive(line: Buffer): void {
    let message
    try {
      message = deserializeMessage(line.toString('utf8'))
    } catch {
      foreignLines += 1
      if (foreignLines <= maxForeignLineNotices)
        log.add('A line on its standard output is no message and was passed over.')
      return
    }
    transport.onmessage?.(message)
  }

  /** The call that waits for a message that is too long gets an error; the connection stays. */
  function answerOversized(ends: OversizedLine): void {
    log.add(oversizedLog)
    const answer = oversizedAnswer(ends)
    if (answer !== undefined) transport.onmessage?.(answer)
  }

  /** Standard input is closed as well as the signals sent: some servers mind the one, some the other. */
  async function end(): Promise<void> {
    const { pid, stdin } = child ?? {}
    stdin?.end()
    try {
      if (pid !== undefined) await processes.end(pid, mark)
    } finally {
      transport.onclose?.()
    }
  }
  return transport
}

function startFailure(command: string, error: unknown): ToolError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') {
    const windows = process.platform === 'win32' ? ' Scripts such as npx are started as `cmd /c npx …`.' : ''
    const next = `Install it, or name its full path.${windows}`
    return new ToolError('command_not_found', `The program "${command}" was not found.`, next, { cause: error })
  }
  const why = error instanceof Error ? error.message : String(error)
  return new ToolError('server_error', `The program "${command}" could not be started: ${why}.`, 'Check the command.', {
    cause: error,
  })
}
