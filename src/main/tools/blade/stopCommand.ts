import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { commandResult } from '../common/commandResult.ts'

export const stopCommand = defineTool({
  name: 'stop_command',
  title: 'Stop command',
  description:
    'Ends a command that run_command started, with everything it started itself, and gives its last output. ' +
    'It can end nothing else, so it never asks.',
  // Ending what the same conversation started under the user's approval harms nothing; a question would only leave processes behind.
  risk: 'read',
  effect: 'process',
  schema: z.object({ job_id: z.string().min(1).describe('The job, as run_command named it.') }),
  examples: [{ job_id: 'job-1a2b3c' }],
  async run(args, context) {
    const { conversationId, signal } = context
    await context.jobs.stop(args.job_id, { conversationId })
    return commandResult(await context.jobs.readOutput(args.job_id, { waitMs: 0, conversationId, signal }))
  },
})
