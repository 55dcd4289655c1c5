import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { commandResult } from '../common/commandResult.ts'

export const stopCommand = defineTool({
  name: 'stop_command',
  title: 'Stop command',
  description:
    'Stops a command that run_command started, with all its child processes, and returns its last output. ' +
    'It can stop nothing else, so it needs no approval.',
  // The user approved the command itself, and waiting for approval would leave processes running.
  risk: 'read',
  effect: 'process',
  schema: () => z.object({ job_id: z.string().min(1).describe('Job id.') }),
  examples: [{ job_id: 'job-1a2b3c' }],
  async run(args, context) {
    const { conversationId, signal } = context
    await context.jobs.stop(args.job_id, { conversationId })
    return commandResult(
      await context.jobs.readOutput(args.job_id, { waitMs: 0, conversationId, signal }),
      context.attended,
    )
  },
})
