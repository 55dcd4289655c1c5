import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { commandResult } from '../common/commandResult.ts'

export const readCommandOutput = defineTool({
  name: 'read_command_output',
  title: 'Read command output',
  description:
    'Returns what a background command wrote since the last read. Waits for new output, its end, or a prompt for input.',
  risk: 'read',
  schema: () =>
    z.object({
      job_id: z.string().min(1).describe('Job id from run_command.'),
      wait_ms: z
        .number()
        .int()
        .min(0)
        .max(60_000)
        .default(10_000)
        .describe('Maximum wait in milliseconds, at most 60000.'),
    }),
  examples: [{ job_id: 'job-1a2b3c' }],
  async run(args, context) {
    const { conversationId, signal } = context
    return commandResult(
      await context.jobs.readOutput(args.job_id, { waitMs: args.wait_ms, conversationId, signal }),
      context.attended,
    )
  },
})
