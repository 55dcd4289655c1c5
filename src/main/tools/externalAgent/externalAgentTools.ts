import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { copySubstring } from '../../base/copySubstring.ts'
import { commandOutput } from '../common/commandResult.ts'
import { commandLineInRoot } from '../common/foregroundCommand.ts'
import { previewWholeFile, writeWholeFile } from '../common/writeWholeFile.ts'
import { defineTool, type Tool } from '../common/toolDefinition.ts'

// Tools for the requests of external agents (ACP). The calls go through the executor like a model's, so that
// containment, approvals, checkpoints and review apply. Models are not offered these tools.

const path = z.string().describe('Absolute path of a file in the workspace.')

const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description: 'Returns the text of a file, including unsaved changes.',
  risk: 'read',
  schema: () =>
    z.object({
      path,
      line: z.number().int().min(0).optional().describe('First line. 1-based.'),
      limit: z.number().int().min(0).optional().describe('Maximum number of lines.'),
    }),
  reads: (args) => [args.path],
  async run({ path: requested, line = 1, limit }, context) {
    const { path: relative, text, unsaved } = await context.documents.read(requested, context.signal)
    const lines = linesOf(text, Math.max(line, 1), limit)
    return {
      text: lines.text,
      selfTruncated: true,
      view: {
        kind: 'file',
        path: relative,
        startLine: lines.first,
        endLine: lines.last,
        totalLines: lines.total,
        unsaved,
      },
    }
  },
})

const writeFile = defineTool({
  name: 'write_file',
  title: 'Write file',
  description: 'Writes a whole text file.',
  risk: 'write',
  schema: () => z.object({ path, content: z.string().describe('Complete content of the file.') }),
  writes: (args) => [args.path],
  preview: previewWholeFile,
  run: writeWholeFile,
})

const runCommand = defineTool({
  name: 'run_command',
  title: 'Run command',
  description: 'Runs a command line until it ends.',
  risk: 'execute',
  schema: () =>
    z.object({
      command: z.string().describe('Command line.'),
      cwd: z.string().default('.').describe('Folder in the workspace.'),
    }),
  async commandLine({ command, cwd }, { workspace }) {
    await commandLineInRoot(command)
    return { command, cwd: (await workspace.resolve(cwd)).relative }
  },
  withCommand: ({ cwd }, command) => ({ command, cwd }),
  async run({ command, cwd }, { workspace, jobs, conversationId, commandSandbox, progress, signal }) {
    const { absolute } = await workspace.resolve(cwd)
    const onChanged = (job: Parameters<NonNullable<Parameters<typeof jobs.run>[0]['onChanged']>>[0]): void =>
      progress({ kind: 'job', job })
    let outcome = await jobs.run(
      { run: { command }, cwd: absolute, conversationId, sandbox: commandSandbox, onChanged },
      signal,
    )
    // The user can type input for the command.
    while (outcome.job.endedAt === undefined) {
      const more = await jobs.readOutput(outcome.job.id, { waitMs: 60_000, conversationId, signal })
      outcome = { ...more, output: outcome.output + more.output }
    }
    const { job } = outcome
    const how = job.signal === undefined ? `exit ${job.exitCode ?? 'code unknown'}` : `ended by ${job.signal}`
    return commandOutput(outcome, how)
  },
})

/** The tools that only external agents call. */
export const externalAgentTools: readonly Tool[] = [readFile, writeFile, runCommand]

/** @throws ToolError unknown_tool */
export function findExternalAgentTool(name: string): Tool {
  const tool = externalAgentTools.find((each) => each.name === name)
  if (!tool) throw new ToolError('unknown_tool', `External agents have no tool "${name}".`)
  return tool
}

/**
 * Returns lines of a text, and the numbers of the first and last one. Does not split the text, because it can have
 * millions of lines.
 * @param first 1-based
 * @param limit maximum number of lines
 */
export function linesOf(
  text: string,
  first: number,
  limit = Infinity,
): { text: string; first: number; last: number; total: number } {
  let total = 1
  let start = first === 1 ? 0 : text.length
  let end = limit === 0 ? start : text.length
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    // The line that ends here is included. The next one starts here, or is beyond the limit.
    if (total === first + limit - 1) end = at
    total += 1
    if (total === first) start = at + 1
  }
  return {
    text: copySubstring(text, start, Math.max(start, end)),
    first,
    last: Math.max(first - 1, Math.min(first + limit - 1, total)),
    total,
  }
}
