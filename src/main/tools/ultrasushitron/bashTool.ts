import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { defaultCommandSeconds, maxCommandSeconds, timeLimit } from '../common/commandTimeLimit.ts'
import { commandLineInRoot, runToEnd } from '../common/foregroundCommand.ts'

export const bash = defineTool({
  name: 'Bash',
  title: 'Run command',
  description:
    'Runs a bash command in the workspace and returns its output (at most 30,000 bytes) and exit code. Nobody can answer prompts: use flags such as --yes. The command ends with the call, so no servers.',
  risk: 'execute',
  schema: () =>
    z.object({
      command: z.string().describe('The command line.'),
      timeout: z
        .number()
        .int()
        .min(1)
        .default(defaultCommandSeconds)
        .describe(`Seconds, at most ${maxCommandSeconds}; then the command and its child processes are killed.`),
    }),
  examples: [{ command: 'wc -l src/*.rs', timeout: 300 }],
  commandLine: ({ command }) => commandLineInRoot(command),
  withCommand: ({ timeout }, command) => ({ command, timeout }),
  run: ({ command, timeout }, context) => runToEnd(command, timeLimit('timeout', timeout), context),
})
