import type { CommandOutcome } from '../../command/jobs.ts'
import type { JobInfo } from '../../../shared/tool.ts'
import type { ToolOutput } from '../tool.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'

/** Formats a command's output for a model, followed by a line in brackets with its state. */
export function commandResult({ job, output, missing }: CommandOutcome): ToolOutput {
  const text = output === '' ? '(no output)\n' : output.endsWith('\n') ? output : `${output}\n`
  const more =
    'To read what is missing, run it again and filter it with tail or grep, or redirect it to a file and read that'
  return { text: `${text}[${standing(job)}]`, view: { kind: 'command', job }, missing, more }
}

function standing(job: JobInfo): string {
  const seconds = ((job.endedAt ?? Date.now()) - job.startedAt) / 1000
  const spent = `after ${formatNumber(seconds, 1)} s in ${job.cwd}`
  const by = job.signal === undefined ? '' : ` (${job.signal})`
  const more = `read_command_output {"job_id": "${job.id}"}`
  const stop = `stop_command {"job_id": "${job.id}"}`
  if (job.state === 'running') return `still running ${spent} as ${job.id}; read on with ${more}, stop it with ${stop}`
  if (job.state === 'waiting_for_input') {
    return (
      `waiting_for_input ${spent} as ${job.id}: the program waits for input. Only the user can type it, in Tizona's panel; ` +
      `then read on with ${more}. Or stop it with ${stop} and run it without prompts (a flag such as --yes, input from a file)`
    )
  }
  if (job.state === 'failed') return `could not be stopped completely ${spent}: it started processes of another user`
  if (job.endedBy === 'timeout') {
    return `stopped by its time limit ${spent}${by}; pass a higher timeout_ms (at most 600000), or start it with "blocking": false`
  }
  if (job.endedBy === 'stop') return `stopped on request ${spent}${by}`
  if (job.endedBy !== undefined) return `stopped by Tizona ${spent}${by}`
  return job.signal === undefined
    ? `exit ${job.exitCode ?? 'code unknown'} ${spent}`
    : `ended by ${job.signal} ${spent}`
}
