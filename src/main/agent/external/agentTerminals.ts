import { randomUUID } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import { ToolError } from '../../../shared/errors.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import type { TerminalExitStatus, TerminalOutputResponse } from '../../acp/agentTypes.ts'
import type { Jobs } from '../../command/jobTypes.ts'

/** Maximum characters of output sent to an agent at once. */
const maxOutput = 1024 * 1024
/** Maximum number of terminals in one turn. */
const maxTerminals = 500

interface Terminal {
  job: JobInfo
  /** The agent's limit for the output, in bytes. */
  limit: number
  ended: Promise<TerminalExitStatus>
  exit?: TerminalExitStatus
}

/** The terminals that an external agent uses during a turn. Their commands are calls of Tizona's tools. */
export interface AgentTerminals {
  /**
   * Waits until a command has started.
   * @param run runs the command as a call and reports its job
   * @throws ToolError if the command was not run
   */
  create(limit: number | undefined, run: (onJob: (job: JobInfo) => void) => Promise<ToolResult>): Promise<string>
  output(id: string): TerminalOutputResponse
  waitForExit(id: string): Promise<TerminalExitStatus>
  kill(id: string): Promise<void>
  release(id: string): Promise<void>
  endAll(): Promise<void>
}

export function createAgentTerminals(jobs: () => Pick<Jobs, 'backlog' | 'stop'>): AgentTerminals {
  const terminals = new Map<string, Terminal>()

  function find(id: string): Terminal {
    const terminal = terminals.get(id)
    if (!terminal) throw new ToolError('not_found', `There is no terminal "${id}".`)
    return terminal
  }

  async function kill(id: string): Promise<void> {
    const terminal = find(id)
    if (!terminal.exit) await jobs().stop(terminal.job.id)
    await terminal.ended
  }

  return {
    async create(limit, run) {
      if (terminals.size >= maxTerminals)
        throw new ToolError('too_large', `At most ${maxTerminals} terminals can be used in one turn.`)
      const started = Promise.withResolvers<JobInfo>()
      let last: JobInfo | undefined
      const result = run((job) => {
        last = job
        started.resolve(job)
      })
      const ended = result.then(
        ({ error }) => {
          if (last === undefined && error) started.reject(new ToolError(error.code, error.message, error.next))
          return { exitCode: last?.exitCode ?? null, signal: last?.signal ?? null }
        },
        (error: unknown) => {
          started.reject(error)
          return { exitCode: null, signal: null }
        },
      )
      const job = await started.promise
      const id = randomUUID()
      const terminal: Terminal = { job, limit: Math.min(limit ?? maxOutput, maxOutput), ended }
      void ended.then((exit) => {
        terminal.exit = exit
      })
      terminals.set(id, terminal)
      return id
    },
    output(id) {
      const { job, limit, exit } = find(id)
      const text = stripVTControlCharacters(jobs().backlog(job.id))
      const output = text.length > limit ? text.slice(text.length - limit).toWellFormed() : text
      return { output, truncated: output.length < text.length, ...(exit && { exitStatus: exit }) }
    },
    waitForExit: (id) => find(id).ended,
    kill,
    async release(id) {
      if (!terminals.has(id)) return
      await kill(id)
      terminals.delete(id)
    },
    async endAll() {
      await Promise.all([...terminals.keys()].map((id) => kill(id).catch(() => undefined)))
    },
  }
}
