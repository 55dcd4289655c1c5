import type { PromptCommand } from '../../../shared/promptCommands.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { runCommand, type CommandId } from '../../platform/commands.ts'
import { fuzzyMatch } from '../../platform/fuzzyMatch.ts'
import { notify } from '../../platform/notices.ts'
import { setMode } from '../chatActions.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import type { Suggestion } from './suggestions.ts'

/** What a slash command does with the words behind it. @returns the text that the composer holds then */
type Run = (args: string) => string | Promise<string>

interface BuiltIn {
  name: string
  description: string
  icon: string
  run: Run
}

const does =
  (id: CommandId): Run =>
  (args) => {
    runCommand(id)
    return args
  }

/** Something about the conversation that is shown. */
function withConversation(act: (id: string) => Promise<unknown>): Run {
  return async (args) => {
    const id = useChat.getState().info?.id
    if (id === undefined) notify('info', 'There is no conversation yet.')
    else await act(id)
    return args
  }
}

const builtIns: readonly BuiltIn[] = [
  { name: 'new', description: 'Begin a new conversation', icon: 'add', run: does('chat.new') },
  {
    name: 'clear',
    description: 'Begin a new one; this one stays in the list',
    icon: 'clear-all',
    run: does('chat.new'),
  },
  {
    name: 'plan',
    description: 'Only read, and end with a plan',
    icon: 'checklist',
    async run(args) {
      await setMode('plan')
      return args
    },
  },
  { name: 'mode', description: 'Choose what runs unasked', icon: 'shield', run: does('chat.pickMode') },
  { name: 'model', description: 'Choose the model', icon: 'hubot', run: does('chat.pickModel') },
  { name: 'tools', description: 'Choose the toolset', icon: 'tools', run: does('chat.pickToolset') },
  {
    name: 'profile',
    description: 'Choose how much instructions and tools take',
    icon: 'list-flat',
    run: does('chat.pickProfile'),
  },
  { name: 'history', description: 'Past conversations', icon: 'history', run: does('chat.history') },
  {
    name: 'compact',
    description: 'Summarise what was said so far, to make room',
    icon: 'fold',
    run: withConversation((id) => request('conversations.compact', { id })),
  },
  {
    name: 'fork',
    description: 'Go on in a copy of this conversation',
    icon: 'repo-forked',
    run: withConversation(async (id) => showConversation((await request('conversations.fork', { id })).conversation)),
  },
  { name: 'help', description: 'All commands and keys', icon: 'question', run: does('help.keys') },
]

/** Commands for the letters behind a slash: built-in ones, then files of the user's and the folder's. */
export async function slashSuggestions(query: string): Promise<Suggestion[]> {
  const own: Suggestion[] = builtIns.map(({ name, description, icon }) => ({
    id: name,
    label: `/${name}`,
    detail: description,
    icon,
    insert: `/${name}`,
  }))
  const files = (await request('prompts.list', {})).map(fileRow)
  return [...own, ...files.filter(({ id }) => !own.some((command) => command.id === id))].filter(
    ({ label }) => query === '' || fuzzyMatch(query, label),
  )
}

function fileRow({ name, description, hint, source }: PromptCommand): Suggestion {
  const detail = [description, hint && `(${hint})`, source === 'user' ? '· yours' : '· this folder']
    .filter(Boolean)
    .join(' ')
  return { id: name, label: `/${name}`, detail, icon: 'file-text', insert: `/${name}${hint === '' ? '' : ' '}` }
}

/** The command that a message begins with, and the words behind it. */
export function parseSlash(text: string): { name: string; args: string } | undefined {
  const match = /^\/([A-Za-z0-9][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trim())
  return match ? { name: match[1] ?? '', args: match[2] ?? '' } : undefined
}

/**
 * Runs a slash command. A file's prompt is put into the composer and not sent: the user reads what a folder wants to have said.
 * @returns the text the composer holds then; undefined for a message that is none of the commands
 */
export async function runSlash(text: string): Promise<string | undefined> {
  const parsed = parseSlash(text)
  if (!parsed) return undefined
  const builtIn = builtIns.find(({ name }) => name === parsed.name.toLowerCase())
  if (builtIn) return builtIn.run(parsed.args)
  const files = await request('prompts.list', {})
  if (files.some(({ name }) => name === parsed.name))
    return request('prompts.expand', { name: parsed.name, args: parsed.args })
  // `/etc/hosts is …` and the like are messages; a single word is a slip of the keys.
  if (parsed.args !== '') return undefined
  notify('warning', `There is no command /${parsed.name}.`, { detail: 'Type / to see the commands there are.' })
  return text
}
