import { ToolError } from '../../shared/errors.ts'
import type { PromptCommand } from '../../shared/agent/promptCommands.ts'
import type { ActivePlugin } from '../settings/plugins/pluginStore.ts'
import { inEachFolder } from '../base/workspaceRoots.ts'
import { fieldText, parseFrontMatter, type FrontMatter } from './frontMatter.ts'
import {
  readPluginText,
  readUserText,
  readWorkspaceText,
  userEntries,
  workspaceEntries,
  type InstructionDeps,
  type ReadText,
} from './instructionFiles.ts'

export const workspaceCommandFolder = '.tizona/commands'
const userFolder = 'commands'
const namePattern = /^[a-z0-9][\w-]{0,63}$/i
const pluginPattern = /^[\w-]{1,40}:[\w-]{1,64}$/
/** Maximum characters of a prompt with its arguments. */
const maxPrompt = 100_000

/** Lists slash commands from files: the user's own, those of the workspace with other names, and those of plug-ins. */
export async function listPromptCommands(deps: InstructionDeps, signal: AbortSignal): Promise<PromptCommand[]> {
  const userCommands = await readCommands(await userEntries(deps.userData, userFolder, 'file'), 'user', (file) =>
    readUserText(deps.userData, `${userFolder}/${file}`),
  )
  const workspaceCommands = await Promise.all(
    inEachFolder(deps, workspaceCommandFolder).map(async (folder) =>
      readCommands(await workspaceEntries(deps, folder, 'file', signal), 'workspace', (file) =>
        readWorkspaceText(deps, `${folder}/${file}`, signal),
      ),
    ),
  )
  const pluginCommands = ((await deps.plugins?.()) ?? []).flatMap(({ name: plugin, contents }) =>
    contents.prompts.map(({ name, description, hint }): PromptCommand => {
      return { name: `${plugin}:${name}`, description, hint, source: 'plugin' }
    }),
  )
  const byName = new Map<string, PromptCommand>()
  for (const command of [...userCommands, ...workspaceCommands.flat(), ...pluginCommands])
    if (!byName.has(command.name)) byName.set(command.name, command)
  return [...byName.values()]
}

/** Reads the prompt of a plug-in. @param name `plugin:command` */
async function readPluginPrompt(plugins: readonly ActivePlugin[], name: string): Promise<ReadText | undefined> {
  const plugin = plugins.find((each) => name.startsWith(`${each.name}:`))
  const prompt = plugin?.contents.prompts.find((each) => `${plugin.name}:${each.name}` === name)
  return plugin && prompt && readPluginText(plugin, prompt.file)
}

/**
 * Returns a command's prompt with its arguments: `$ARGUMENTS` for all, `$1` for the first; quotes allow spaces. Appends
 * arguments that the prompt does not use.
 * @throws ToolError not_found
 */
export async function expandPromptCommand(
  deps: InstructionDeps,
  name: string,
  args: string,
  signal: AbortSignal,
): Promise<string> {
  if (!namePattern.test(name) && !pluginPattern.test(name)) throw unknown(name)
  const read = name.includes(':')
    ? await readPluginPrompt((await deps.plugins?.()) ?? [], name)
    : ((await readUserText(deps.userData, `${userFolder}/${name}.md`)) ??
      (await firstInWorkspace(deps, `${workspaceCommandFolder}/${name}.md`, signal)))
  if (!read) throw unknown(name)
  const { body } = parseFrontMatter(read.text)
  if (body.trim() === '')
    throw new ToolError(
      'not_found',
      `The command /${name} has no prompt${read.note ? ` (${read.note})` : ''}.`,
      'Write the prompt into its file.',
    )
  return fillArguments(body.trim(), args.trim()).slice(0, maxPrompt)
}

async function firstInWorkspace(
  deps: InstructionDeps,
  file: string,
  signal: AbortSignal,
): Promise<ReadText | undefined> {
  for (const place of inEachFolder(deps, file)) {
    const read = await readWorkspaceText(deps, place, signal)
    if (read) return read
  }
  return undefined
}

function fillArguments(body: string, args: string): string {
  const words = (args.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'))
  if (!/\$(ARGUMENTS\b|[1-9])/.test(body)) return args === '' ? body : `${body}\n\n${args}`
  return body.replace(/\$(ARGUMENTS\b|[1-9])/g, (_, what: string) =>
    what === 'ARGUMENTS' ? args : (words[Number(what) - 1] ?? ''),
  )
}

async function readCommands(
  files: readonly string[],
  source: PromptCommand['source'],
  read: (file: string) => Promise<ReadText | undefined>,
): Promise<PromptCommand[]> {
  const commands = await Promise.all(
    files.map(async (file): Promise<PromptCommand[]> => {
      const name = file.replace(/\.md$/, '')
      if (!file.endsWith('.md') || !namePattern.test(name)) return []
      const found = await read(file)
      return found ? [toCommand(name, source, parseFrontMatter(found.text))] : []
    }),
  )
  return commands.flat()
}

function toCommand(name: string, source: PromptCommand['source'], matter: FrontMatter): PromptCommand {
  const firstLine = matter.body.trim().split('\n')[0] ?? ''
  return {
    name,
    description: (fieldText(matter, 'description') || firstLine.replace(/^#+\s*/, '')).slice(0, 200),
    hint: fieldText(matter, 'argument-hint').slice(0, 80),
    source,
  }
}

function unknown(name: string): ToolError {
  return new ToolError('not_found', `There is no command /${name}.`, 'Type / to list the commands.')
}
