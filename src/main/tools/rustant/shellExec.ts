import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { maxCommandSeconds, timeLimit } from '../common/commandTimeLimit.ts'
import { commandLineInRoot, runToEnd } from '../common/foregroundCommand.ts'

export const shellExec = defineTool({
  name: 'shell_exec',
  title: 'Run command',
  description:
    'Runs a shell command (bash) in the workspace and returns its output and exit code; the user sees live output. Nobody can answer prompts: use flags such as --yes. The command ends with the call, so no servers.',
  risk: 'execute',
  schema: () =>
    z.object({
      command: z.string().describe('The command line.'),
      timeout_secs: z
        .number()
        .int()
        .min(1)
        .default(60)
        .describe(`Seconds, at most ${maxCommandSeconds}; then the command and its child processes are killed.`),
    }),
  examples: [{ command: 'wc -l src/*.rs', timeout_secs: 120 }],
  commandLine: ({ command }) => commandLineInRoot(command),
  withCommand: ({ timeout_secs }, command) => ({ command, timeout_secs }),
  run: ({ command, timeout_secs }, context) => runToEnd(command, timeLimit('timeout_secs', timeout_secs), context),
})
