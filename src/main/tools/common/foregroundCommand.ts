import { ToolError } from '../../../shared/errors.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import type { CommandLine, ToolContext, ToolOutput } from './toolDefinition.ts'
import { commandOutput, elapsedText, isOverLimit, limitText, linksNote } from './commandResult.ts'
import { maxCommandSeconds, type TimeLimit } from './commandTimeLimit.ts'

/**
 * Returns the command line of a call in the workspace's root.
 * @throws ToolError invalid_arguments if no shell can run it
 */
export async function commandLineInRoot(command: string): Promise<CommandLine> {
  checkCommand(command)
  return { command: withoutFence(command), cwd: '.' }
}

/** Returns a command without the Markdown fence (```` ```bash ````) that models put around it. */
export function withoutFence(command: string): string {
  const trimmed = command.trim()
  const [opening, fence] = /^(`{3,}|~{3,})[\w-]*[ \t]*\n/.exec(trimmed) ?? []
  if (opening === undefined || fence === undefined || !trimmed.endsWith(fence)) return command
  const body = trimmed.slice(opening.length, -fence.length)
  const lastLine = body.lastIndexOf('\n')
  return lastLine !== -1 && body.slice(lastLine).trim() === '' ? body.slice(0, lastLine) : body
}

/** @throws ToolError `invalid_arguments` for a shell without a command, which would wait for input until its time limit */
export function checkNoBareShell(command: string): void {
  if (!/^(?:\/\S*\/)?(?:ba|da|z|k|fi)?sh(?:\s+(?:-[il]+|--login|--interactive))*$/.test(command.trim())) return
  throw new ToolError(
    'invalid_arguments',
    `\`${command.trim()}\` alone starts an interactive shell, which waits for input.`,
    'Pass the commands themselves, for example {"command": "npm test"}. They run in bash.',
  )
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
  checkNoBareShell(withoutFence(command))
}

/**
 * Runs a command line in the workspace's root until it ends. Used by toolsets without tools for background commands,
 * so a command that waits for input is stopped.
 */
export async function runToEnd(command: string, limit: TimeLimit, context: ToolContext): Promise<ToolOutput> {
  checkCommand(command)
  const { jobs, workspace, signal, conversationId, commandSandbox } = context
  const { job, output, missing } = await jobs.run(
    {
      run: { command: withoutFence(command) },
      cwd: workspace.root,
      conversationId,
      sandbox: commandSandbox,
      timeoutMs: limit.seconds * 1000,
      onChanged: (now) => context.progress({ kind: 'job', job: now }),
    },
    signal,
  )
  const needsInput = job.state === 'waiting_for_input'
  const ended = needsInput ? await jobs.stop(job.id, { conversationId }) : job
  const result = commandOutput(
    { job: ended, output, missing },
    needsInput ? inputEndText(ended) : endText(ended, limit),
  )
  return {
    ...result,
    text: `${limit.note}${result.text}${await linksNote({ job: ended, output, missing }, workspace)}`,
  }
}

function inputEndText(job: JobInfo): string {
  return `stopped ${elapsedText(job)}: the program waited for input, which nobody can type. Run it without prompts (for example with --yes, or with input from a file or pipe)`
}

function endText(job: JobInfo, { name }: TimeLimit): string {
  if (job.state === 'failed')
    return `could not be stopped completely ${elapsedText(job)}: it started processes of another user`
  if (job.endedBy === 'timeout')
    return `stopped by its time limit ${elapsedText(job)}; pass a higher ${name} (at most ${maxCommandSeconds} seconds), or run a command that does less`
  if (job.endedBy === 'stop') return `stopped by the user ${elapsedText(job)}`
  if (isOverLimit(job)) return `${limitText(job)} ${elapsedText(job)}`
  if (job.endedBy !== undefined) return `stopped by Tizona ${elapsedText(job)}`
  return job.signal === undefined
    ? `exit ${job.exitCode ?? 'code unknown'} ${elapsedText(job)}`
    : `ended by ${job.signal} ${elapsedText(job)}`
}
