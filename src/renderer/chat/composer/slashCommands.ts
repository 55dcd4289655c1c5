import type { McpPrompt } from '../../../shared/tools/mcp.ts'
import type { PromptCommand } from '../../../shared/agent/promptCommands.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { runCommand, type CommandId } from '../../platform/commands.ts'
import { fuzzyMatch } from '../../platform/quickPick/fuzzyMatch.ts'
import { notify } from '../../platform/notices.ts'
import { setMode } from '../chatActions.ts'
import { newDraft } from '../chatViewStore.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { useMcp } from '../../platform/mcpStore.ts'
import { addPasted, setServerPrompt } from './draftAttachments.ts'
import { pastedMentions } from './pastedMentions.ts'
import type { Suggestion } from './suggestions.ts'

/** Runs a slash command. @param args text after the command @returns the composer's new text */
type Run = (args: string) => string | Promise<string>

interface BuiltIn {
  name: string
  description: string
  icon: string
  run: Run
}

const command =
  (id: CommandId): Run =>
  (args) => {
    runCommand(id)
    return args
  }

/** Creates a command that acts on the open conversation. */
function withConversation(act: (id: string) => Promise<unknown>): Run {
  return async (args) => {
    const id = useChat.getState().info?.id
    if (id === undefined) notify('info', 'There is no conversation yet.')
    else await act(id)
    return args
  }
}

const builtIns: readonly BuiltIn[] = [
  { name: 'new', description: 'Start a new conversation', icon: 'add', run: command('chat.new') },
  {
    name: 'clear',
    description: 'Start a new conversation and keep this one in the list',
    icon: 'clear-all',
    run: command('chat.new'),
  },
  {
    name: 'plan',
    description: 'Read only, and end with a plan',
    icon: 'checklist',
    async run(args) {
      await setMode('plan')
      return args
    },
  },
  { name: 'mode', description: 'Choose what needs approval', icon: 'shield', run: command('chat.pickMode') },
  { name: 'model', description: 'Choose the model', icon: 'hubot', run: command('chat.pickModel') },
  { name: 'tools', description: 'Choose the toolset', icon: 'tools', run: command('chat.pickToolset') },
  {
    name: 'profile',
    description: 'Choose how much context instructions and tools use',
    icon: 'list-flat',
    run: command('chat.pickProfile'),
  },
  { name: 'history', description: 'Show past conversations', icon: 'history', run: command('chat.history') },
  {
    name: 'compact',
    description: 'Summarize the conversation to free context',
    icon: 'fold',
    run: withConversation((id) => request('conversations.compact', { id })),
  },
  {
    name: 'fork',
    description: 'Continue in a copy of this conversation',
    icon: 'repo-forked',
    run: withConversation(async (id) => showConversation((await request('conversations.fork', { id })).conversation)),
  },
  { name: 'help', description: 'Show all commands and keys', icon: 'question', run: command('help.keys') },
]

/** Suggests commands for the text after a slash: built-in ones, prompt files, and prompts of MCP servers. */
export async function slashSuggestions(query: string): Promise<Suggestion[]> {
  const own: Suggestion[] = builtIns.map(({ name, description, icon }) => ({
    id: name,
    label: `/${name}`,
    detail: description,
    icon,
    insert: `/${name}`,
  }))
  const files = (await request('prompts.list', {})).map(fileRow)
  const known = [...own, ...files.filter(({ id }) => !own.some((command) => command.id === id))]
  return [...known, ...serverPrompts().map(serverRow)].filter(({ label }) => query === '' || fuzzyMatch(query, label))
}

const sourceTexts: Readonly<Record<PromptCommand['source'], string>> = {
  user: 'User',
  workspace: 'Folder',
  plugin: 'Plug-in',
}

/** Returns the command of a name, or the only one of a plug-in with this name. */
function findFile(files: readonly PromptCommand[], name: string): PromptCommand | undefined {
  const ofPlugins = files.filter((file) => file.source === 'plugin' && file.name.endsWith(`:${name}`))
  return files.find((file) => file.name === name) ?? (ofPlugins.length === 1 ? ofPlugins[0] : undefined)
}

function fileRow({ name, description, hint, source }: PromptCommand): Suggestion {
  const detail = [description, hint && `(${hint})`, `· ${sourceTexts[source]}`].filter(Boolean).join(' ')
  return { id: name, label: `/${name}`, detail, icon: 'file-text', insert: `/${name}${hint === '' ? '' : ' '}` }
}

function serverPrompts(): { server: string; prompt: McpPrompt }[] {
  const servers = useMcp.getState().state?.servers ?? []
  return servers.flatMap(({ name, prompts = [] }) => prompts.map((prompt) => ({ server: name, prompt })))
}

function serverRow({ server, prompt }: ReturnType<typeof serverPrompts>[number]): Suggestion {
  const { command: name, description, arguments: args } = prompt
  const fields = args.map((arg) => (arg.required ? `${arg.name}=""` : `[${arg.name}=""]`)).join(' ')
  const detail = [description, fields && `(${fields})`, `· ${server}`].filter(Boolean).join(' ')
  const required = args.filter((arg) => arg.required).map((arg) => ` ${arg.name}=""`)
  return { id: name, label: `/${name}`, detail, icon: 'plug', insert: `/${name}${required.join('')}` }
}

/**
 * Parses `name="value"` pairs. If there is only one argument, other text is its value.
 * @returns undefined if the text is neither
 */
export function promptArguments(text: string, args: McpPrompt['arguments']): Record<string, string> | undefined {
  const pairs = [...text.matchAll(/([^\s="]+)=(?:"([^"]*)"|([^\s"]*))/g)]
  const values = Object.fromEntries(pairs.map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']))
  const isKnown = Object.keys(values).every((name) => args.some((arg) => arg.name === name))
  const rest = pairs.reduce((left, [whole]) => left.replace(whole, ''), text).trim()
  if (rest === '' && isKnown) return values
  const [only] = args
  return only && args.length === 1 ? { [only.name]: text.trim() } : undefined
}

/** Returns the text of a server's prompt. Keeps the composer's text if the arguments are ambiguous. */
async function expandServerPrompt({ command, arguments: args }: McpPrompt, text: string): Promise<string> {
  const values = promptArguments(text, args)
  if (values) {
    const prompt = await request('mcp.prompt', { command, args: values })
    const draft = useChat.getState().info?.id ?? newDraft
    setServerPrompt(draft, command)
    addPasted(draft, pastedMentions(prompt))
    return prompt
  }
  const fields = args.map(({ name }) => `${name}="…"`).join(' ')
  notify('warning', `The arguments of /${command} could not be parsed.`, { detail: `Use /${command} ${fields}` })
  return `/${command} ${text}`
}

/** Splits a message into a slash command and its arguments. */
function parseSlash(text: string): { name: string; args: string } | undefined {
  const match = /^\/([A-Za-z0-9][\w:-]*)(?:\s+([\s\S]*))?$/.exec(text.trim())
  return match ? { name: match[1] ?? '', args: match[2] ?? '' } : undefined
}

/**
 * Runs a slash command. Puts the text of a prompt file or server prompt into the composer, so that the user can review
 * it.
 * @returns the composer's new text, or undefined if the message is not a command
 */
export async function runSlash(text: string): Promise<string | undefined> {
  const parsed = parseSlash(text)
  if (!parsed) return undefined
  const builtIn = builtIns.find(({ name }) => name === parsed.name.toLowerCase())
  if (builtIn) return builtIn.run(parsed.args)
  const file = findFile(await request('prompts.list', {}), parsed.name)
  if (file) return request('prompts.expand', { name: file.name, args: parsed.args })
  const fromServer = serverPrompts().find(({ prompt }) => prompt.command === parsed.name)
  if (fromServer) return expandServerPrompt(fromServer.prompt, parsed.args)
  // `/etc/hosts is …` is a message, but a single unknown word is probably a mistyped command.
  if (parsed.args !== '') return undefined
  notify('warning', `There is no command /${parsed.name}.`, { detail: 'Type / to see all commands.' })
  return text
}
