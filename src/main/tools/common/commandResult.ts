import type { CommandOutcome } from '../../command/commandTypes.ts'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { protectedChangesText } from '../../../shared/commands/sandbox.ts'
import { quoteWord } from '../../base/quoteWord.ts'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { besideLinks } from '../../workspace/multiRoot.ts'
import type { ToolOutput } from './toolDefinition.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'

/**
 * Returns the result of a command for toolsets that can read and stop background commands.
 * @param attended whether a user can type into the command
 */
export function commandResult(outcome: CommandOutcome, attended = true): ToolOutput {
  return commandOutput(outcome, stateText(outcome.job, attended))
}

/**
 * Returns a line for the model if a command has written beside the folders of a multi-root workspace, or probably found nothing because it ran in the folder with the links of a
 * workspace, which programs such as grep and find do not follow; otherwise an empty text.
 */
export async function linksNote({ job, output }: CommandOutcome, { root, folders }: WorkspaceRoots): Promise<string> {
  if (!folders || job.endedAt === undefined) return ''
  const names = folders.map(({ name }) => name)
  const beside = await besideLinks(root)
  if (beside.length > 0)
    return `\n[No folder of the workspace contains ${listedEntries(beside)}, so the user does not see it. Move it into one of them: ${names.join(', ')}.]`
  if (job.cwd !== '.') return ''
  if (job.exitCode === 0 && (output !== '' || !/(?:^|\s)\.\/?(?:\s|$)/.test(job.command))) return ''
  if (names.some((name) => job.command.includes(name))) return ''
  return `\n[. holds only the folders ${names.join(', ')}. Name them: grep -rn x ${names.map(quoteWord).join(' ')}, or pass one as the folder to run in.]`
}

const listedEntries = (names: readonly string[]): string =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')

/** Formats a command's output for a model, followed by its state in brackets. */
export function commandOutput({ job, output, missing }: CommandOutcome, state: string): ToolOutput {
  const text = output === '' ? '(no output)\n' : output.endsWith('\n') ? output : `${output}\n`
  const review = job.protectedChanges === undefined ? '' : `\n[${protectedChangesText(job.protectedChanges)}]`
  return {
    text: `${text}[${state}]${review}`,
    view: { kind: 'command', job },
    denial: job.denial,
    missing,
    readMoreHint:
      'To read what is missing, run it again and filter it with tail or grep, or redirect it to a file and read that',
  }
}

/** Whether a command was ended because it used too many processes or too much memory. */
export function isOverLimit({ endedBy }: JobInfo): boolean {
  return endedBy === 'processes' || endedBy === 'memory'
}

/** Returns why a command that used too many processes or too much memory was ended. */
export function limitText({ endedBy }: JobInfo): string {
  const limit = endedBy === 'processes' ? 'more processes' : 'more memory'
  return `stopped because it used ${limit} than the user's settings allow,`
}

/** Returns how long a command has run, e.g. `after 1.5 s`. */
export function elapsedText({ startedAt, endedAt = Date.now() }: JobInfo): string {
  return `after ${formatNumber((endedAt - startedAt) / 1000, 1)} s`
}

function stateText(job: JobInfo, attended: boolean): string {
  const elapsed = `${elapsedText(job)} in ${job.cwd}`
  const by = job.signal === undefined ? '' : ` (${job.signal})`
  const more = `read_command_output {"job_id": "${job.id}"}`
  const stop = `stop_command {"job_id": "${job.id}"}`
  if (job.state === 'running')
    return `still running ${elapsed} as ${job.id}; read on with ${more}, or stop it with ${stop}`
  if (job.state === 'waiting_for_input') {
    const waits = `waiting_for_input ${elapsed} as ${job.id}: the program waits for input`
    const other = `${stop} and run it without prompts (for example with --yes, or with input from a file)`
    return attended
      ? `${waits}. Only the user can type it, in Tizona's panel. Then read on with ${more}, or stop it with ${other}`
      : `${waits}, which nobody can type here. Stop it with ${other}`
  }
  if (job.state === 'failed') return `could not be stopped completely ${elapsed}: it started processes of another user`
  if (job.endedBy === 'timeout') {
    return `stopped by its time limit ${elapsed}${by}; pass a higher timeout_ms (at most 600000), or start it with "blocking": false`
  }
  if (job.endedBy === 'stop') return `stopped on request ${elapsed}${by}`
  if (isOverLimit(job)) return `${limitText(job)} ${elapsed}`
  if (job.endedBy !== undefined) return `stopped by Tizona ${elapsed}${by}`
  return job.signal === undefined
    ? `exit ${job.exitCode ?? 'code unknown'} ${elapsed}`
    : `ended by ${job.signal} ${elapsed}`
}
