import { formatNumber } from '../../../shared/formatNumber.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { JobInfo } from '../../../shared/tool.ts'
import type { CommandLine, ToolContext, ToolOutput } from '../tool.ts'

/** The time limit of a call. */
export interface TimeLimit {
  /** Name of the parameter. */
  name: string
  seconds: number
  /** Maximum allowed value. */
  maxSeconds: number
  /** Notice that a larger value was lowered; otherwise empty. */
  note: string
}

/** Limits a requested time to the maximum. */
export function timeLimit(name: string, asked: number, maxSeconds: number): TimeLimit {
  const note = asked > maxSeconds ? `(\`${name}\` ${asked} is above the cap, so ${maxSeconds} was used.)\n` : ''
  return { name, seconds: Math.min(asked, maxSeconds), maxSeconds, note }
}

/** Returns the command line of a call in the workspace's root. @throws ToolError invalid_arguments if no shell can run it */
export async function rootCommandLine(command: string): Promise<CommandLine> {
  checkCommand(command)
  return { command, cwd: '.' }
}

function checkCommand(command: string): void {
  if (command.trim() === '')
    throw new ToolError(
      'invalid_arguments',
      '`command` is empty.',
      'Pass a command line, for example {"command": "npm test"}.',
    )
  if (command.includes('\0'))
    throw new ToolError(
      'invalid_arguments',
      'A command cannot contain a NUL character.',
      'Remove it, or write it as an escape sequence.',
    )
}

/**
 * Runs a command line in the workspace's root until it ends. Used by families without tools for background commands, so
 * a command that waits for input is stopped.
 */
export async function runToEnd(command: string, limit: TimeLimit, context: ToolContext): Promise<ToolOutput> {
  checkCommand(command)
  const { jobs, workspace, signal, conversationId } = context
  const { job, output, missing } = await jobs.run(
    {
      run: { command },
      cwd: workspace.root,
      conversationId,
      timeoutMs: limit.seconds * 1000,
      onChanged: (now) => context.progress({ kind: 'job', job: now }),
    },
    signal,
  )
  const asked = job.state === 'waiting_for_input'
  const ended = asked ? await jobs.stop(job.id, { conversationId }) : job
  const text = output === '' ? '(no output)\n' : output.endsWith('\n') ? output : `${output}\n`
  return {
    text: `${limit.note}${text}[${asked ? waited(ended) : standing(ended, limit)}]`,
    view: { kind: 'command', job: ended },
    missing,
    more: 'To read what is missing, run it again and filter it with tail or grep, or redirect it to a file and read that',
  }
}

function spent(job: JobInfo): string {
  return `after ${formatNumber(((job.endedAt ?? Date.now()) - job.startedAt) / 1000, 1)} s`
}

function waited(job: JobInfo): string {
  return `stopped ${spent(job)}: the program waited for input, which nobody can type. Run it without prompts (a flag such as --yes, input from a file or pipe)`
}

function standing(job: JobInfo, { name, maxSeconds }: TimeLimit): string {
  if (job.state === 'failed')
    return `could not be stopped completely ${spent(job)}: it started processes of another user`
  if (job.endedBy === 'timeout')
    return `stopped by its time limit ${spent(job)}; pass a higher ${name} (at most ${maxSeconds} seconds), or a command that does less`
  if (job.endedBy === 'stop') return `stopped by the user ${spent(job)}`
  if (job.endedBy !== undefined) return `stopped by Tizona ${spent(job)}`
  return job.signal === undefined
    ? `exit ${job.exitCode ?? 'code unknown'} ${spent(job)}`
    : `ended by ${job.signal} ${spent(job)}`
}
