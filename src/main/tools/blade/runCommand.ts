import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { quoteWord } from '../../base/quoteWord.ts'
import { commandLine } from '../../command/shellProgram.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'
import { commandResult, linksNote } from '../common/commandResult.ts'
import { defaultCommandSeconds, maxCommandSeconds } from '../common/commandTimeLimit.ts'
import { checkNoBareShell, withoutFence } from '../common/foregroundCommand.ts'

const defaultLimitMs = defaultCommandSeconds * 1000
const maxLimitMs = maxCommandSeconds * 1000

const schema = () =>
  z.object({
    command: z.string().optional().describe('Command line for the shell (bash).'),
    program: z.string().optional().describe('Executable to run without a shell, instead of `command`.'),
    args: z.array(z.string()).default([]).describe('Arguments of `program`, one item each, passed verbatim.'),
    shell: z.boolean().default(false).describe('Run `program` through the shell; `args` are quoted for it.'),
    cwd: z.string().default('.').describe('Folder to run in, relative to the workspace.'),
    blocking: z
      .boolean()
      .default(true)
      .describe('Wait for the end. `false`: return early with a job id while the command continues.'),
    wait_ms_before_async: z
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(500)
      .describe('With `blocking: false`: milliseconds to wait for first output or an early end.'),
    timeout_ms: z
      .number()
      .int()
      .min(1)
      .max(maxLimitMs)
      .optional()
      .describe(
        `Milliseconds after which the command is killed, at most ${maxLimitMs}. Default ${defaultLimitMs}; with \`blocking: false\` none.`,
      ),
  })
type Arguments = z.output<ReturnType<typeof schema>>

/**
 * Returns the command or program to run.
 * @throws ToolError invalid_arguments unless exactly one of `command` and `program` is set
 */
function commandOf(args: Arguments): { command: string } | { program: string; args: string[] } {
  const command = args.command?.trim() ? withoutFence(args.command) : undefined
  const program = args.program?.trim() ? args.program : undefined
  for (const text of [command, program, ...args.args]) {
    if (text?.includes('\0'))
      throw invalid('A command cannot contain a NUL character.', 'Remove it, or write it as an escape sequence.')
  }
  if (command !== undefined && program !== undefined) {
    const next = 'Pass the whole line as `command`, or an executable as `program` with its `args`.'
    throw invalid('Both `command` and `program` were passed, but only one is allowed.', next)
  }
  if (args.args.length === 0) checkNoBareShell(command ?? program ?? '')
  if (command !== undefined) {
    if (args.args.length === 0) return { command }
    const next = 'Write the arguments into the line, or pass the executable as `program`.'
    throw invalid('`args` belong to `program`, but `command` was passed.', next)
  }
  if (program === undefined) {
    throw invalid(
      '`command` or `program` is missing.',
      'Pass a command line as `command`, for example {"command": "npm test"}.',
    )
  }
  return args.shell ? { command: [program, ...args.args.map(quoteWord)].join(' ') } : { program, args: args.args }
}

function invalid(message: string, next: string): ToolError {
  return new ToolError('invalid_arguments', message, next)
}

async function folderOf(args: Arguments, context: ToolContext): Promise<{ absolute: string; relative: string }> {
  const folder = await context.workspace.resolve(args.cwd.trim() === '' ? '.' : args.cwd)
  if (folder.type !== 'directory') {
    const next = 'Pass its parent folder as `cwd`, or omit `cwd`.'
    throw new ToolError('not_a_directory', `"${folder.relative}" is not a folder, so no command can run in it.`, next)
  }
  return folder
}

/** Returns the command and folder that are both shown for approval and run. */
async function plannedCommand(args: Arguments, context: ToolContext) {
  return { run: commandOf(args), folder: await folderOf(args, context) }
}

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run command',
  description:
    'Runs a command in the workspace and returns its output and exit code. Nobody can answer prompts: use flags such ' +
    'as --yes. For servers and watchers use "blocking": false, then read_command_output and stop_command.',
  risk: 'execute',
  schema,
  parameterAliases: {
    Command: 'command',
    command_line: 'command',
    CommandLine: 'command',
    Program: 'program',
    Args: 'args',
    Shell: 'shell',
    Cwd: 'cwd',
    Blocking: 'blocking',
    WaitMsBeforeAsync: 'wait_ms_before_async',
  },
  examples: [{ command: 'echo "hello"' }, { program: 'ls', args: ['-1', 'src'], cwd: '.' }],
  async commandLine(args, context) {
    const { run, folder } = await plannedCommand(args, context)
    return { command: 'command' in run ? run.command : commandLine(run.program, run.args), cwd: folder.relative }
  },
  withCommand({ cwd, blocking, wait_ms_before_async, timeout_ms }, command) {
    return { command, cwd, blocking, wait_ms_before_async, ...(timeout_ms === undefined ? {} : { timeout_ms }) }
  },
  async run(args, context) {
    const { run, folder } = await plannedCommand(args, context)
    const outcome = await context.jobs.run(
      {
        run,
        cwd: folder.absolute,
        conversationId: context.conversationId,
        sandbox: context.commandSandbox,
        timeoutMs: args.timeout_ms ?? (args.blocking ? defaultLimitMs : undefined),
        waitMs: args.blocking ? undefined : args.wait_ms_before_async,
        onChanged: (job) => context.progress({ kind: 'job', job }),
      },
      context.signal,
    )
    const result = commandResult(outcome, context.attended)
    return { ...result, text: result.text + (await linksNote(outcome, context.workspace)) }
  },
})
