import { asSentence } from '../base/asSentence.ts'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolError } from '../../shared/errors.ts'
import { safeSearchPath } from '../base/programSearch.ts'
import { startProcess } from '../base/startProcess.ts'
import type { McpDefinition } from '../../shared/tools/mcp.ts'
import { createBoundedLines, type OversizedLine } from '../base/boundedLines.ts'
import { waitForDrain } from '../base/waitForDrain.ts'
import {
  oversizedResponse,
  endlessLogMessage,
  maxMessageBytes,
  maxEndlessBytes,
  oversizedLogMessage,
} from './oversizedMessages.ts'
import type { ServerLog } from '../base/serverLog.ts'

/** Finds and ends a process with its descendants (command/processTree.ts). */
export interface ProcessEnding {
  /** Environment variable that holds the job tag of descendants. */
  variable: string
  /**
   * Returns a job tag for the environment of a new process. If Tizona is killed, its next start ends processes with
   * this job tag.
   */
  begin(): Promise<string>
  started(pid: number): void
  end(root: number, jobTag: string): Promise<void>
}

interface StdioOptions {
  definition: Extract<McpDefinition, { type: 'stdio' }>
  /** Working directory. */
  cwd: string
  log: ServerLog
  processes: ProcessEnding
}

/**
 * Maximum number of log messages about invalid lines, so that a server that prints to standard output does not flood
 * the log.
 */
const maxForeignLineNotices = 20

/**
 * Runs a server as a child process, without a shell. Unlike the SDK's transport, ends the process group and all
 * descendants, such as those of `npx` or a wrapper script, even if the server exits first. The environment consists of
 * the SDK's default variables (PATH, HOME, …) and the definition's. PATH excludes open folders.
 */
export function createStdioTransport({ definition, cwd, log, processes }: StdioOptions): Transport {
  let jobTag = ''
  const lines = createBoundedLines(maxMessageBytes)
  let child: ChildProcess | undefined
  let closing: Promise<void> | undefined
  let foreignLines = 0

  const transport: Transport = {
    async start() {
      const { command, args, env } = definition
      jobTag = await processes.begin()
      const defaults = getDefaultEnvironment()
      // Scripts such as `npx` look up `node` on PATH.
      const PATH = safeSearchPath(defaults['PATH'] ?? '')
      const started = startProcess(command, args, {
        startedBy: 'user',
        cwd,
        env: { ...defaults, PATH, ...env, [processes.variable]: jobTag },
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      started.stdin.on('error', (error) => log.add(`Standard input failed: ${error.message}`))
      started.stdout.on('data', (chunk: Buffer) => read(chunk))
      started.stderr.on('data', (chunk: Buffer) => log.write(chunk))
      started.on('exit', (code, signal) => {
        log.add(signal === null ? `The server exited with code ${code}.` : `The server was terminated by ${signal}.`)
        void transport.close()
      })
      try {
        await once(started, 'spawn')
      } catch (error) {
        throw startFailure(command, error)
      }
      child = started
      if (started.pid !== undefined) processes.started(started.pid)
      // From here on, a failure is reported as `exit`.
      started.on('error', (error) => log.add(error.message))
    },
    async send(message) {
      const stdin = child?.stdin
      if (!stdin?.writable) throw new Error('The server is not running.')
      if (!stdin.write(serializeMessage(message))) await waitForDrain(stdin)
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
    if (lines.pending() <= maxEndlessBytes) return
    log.add(endlessLogMessage)
    void transport.close()
  }

  function receive(line: Buffer): void {
    let message
    try {
      message = deserializeMessage(line.toString('utf8'))
    } catch {
      foreignLines += 1
      if (foreignLines <= maxForeignLineNotices)
        log.add('A line on standard output is not an MCP message and was ignored.')
      return
    }
    transport.onmessage?.(message)
  }

  /** Fails the pending call for an oversized message; the connection stays open. */
  function answerOversized(ends: OversizedLine): void {
    log.add(oversizedLogMessage)
    const answer = oversizedResponse(ends)
    if (answer !== undefined) transport.onmessage?.(answer)
  }

  /** Closes standard input and sends signals, because a server may react to only one of them. */
  async function end(): Promise<void> {
    const { pid, stdin } = child ?? {}
    stdin?.end()
    try {
      if (pid !== undefined) await processes.end(pid, jobTag)
    } finally {
      transport.onclose?.()
    }
  }
  return transport
}

function startFailure(command: string, error: unknown): ToolError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') {
    const windows = process.platform === 'win32' ? ' Start scripts such as npx with `cmd /c npx …`.' : ''
    const next = `Install it, or use its full path.${windows}`
    return new ToolError('command_not_found', `The program "${command}" was not found.`, next, { cause: error })
  }
  const why = error instanceof Error ? error.message : String(error)
  return new ToolError(
    'server_error',
    `The program "${command}" could not be started. ${asSentence(why)}`,
    'Check the command.',
    {
      cause: error,
    },
  )
}
