import type { UnusedContribution } from '../extensions/extensions.ts'
import type { FileDiff } from '../tools/tool.ts'
import type { HookEvent } from '../tools/hooks.ts'
import type { McpDefinition } from '../tools/mcp.ts'

/** Maximum number of files of a plug-in. All of them are compared before anything of it is used. */
export const maxPluginFiles = 2000

/** Variables that stand for the folder of a plug-in in its hooks and MCP servers. */
export const rootVariables = ['CLAUDE_PLUGIN_ROOT', 'CODEX_PLUGIN_ROOT', 'CURSOR_PLUGIN_ROOT', 'PLUGIN_ROOT'] as const

/** Variables that stand for the folder in which a plug-in keeps data over updates. */
export const dataVariables = ['CLAUDE_PLUGIN_DATA', 'PLUGIN_DATA'] as const

/** Folders of a plug-in, as real paths. */
export interface PluginFolders {
  /** Its files, which never change. */
  root: string
  /** Its data. */
  data: string
  /** Whether its hooks may only read the data. */
  readOnlyData?: true
}

/**
 * Whether programs of a plug-in come from its data, or get paths in it. Code of an open folder can run in a hook. If the
 * hook could change this data, that code would reach a server, which has no sandbox, or other folders.
 */
export function runsFromData({ hooks, servers }: Pick<PluginContents, 'hooks' | 'servers'>): boolean {
  const values = servers.flatMap(({ definition }) =>
    definition.type === 'http' ? [] : [definition.command, ...definition.args, ...Object.values(definition.env)],
  )
  return [...hooks.map(({ command }) => command), ...values].some((text) =>
    ['PLUGIN_DATA', 'PLUGIN-DATA'].some((name) => text.toUpperCase().includes(name)),
  )
}

/** Returns the variables that its programs get. */
export function pluginVariables({ root, data }: PluginFolders): Record<string, string> {
  const all = [...rootVariables.map((name) => [name, root]), ...dataVariables.map((name) => [name, data])]
  return Object.fromEntries(all) as Record<string, string>
}

/** Replaces the variables that stand for the folders of a plug-in. */
export function withPluginFolders(text: string, folders: PluginFolders): string {
  return Object.entries(pluginVariables(folders)).reduce(
    (all, [name, folder]) => all.replaceAll(`\${${name}}`, folder),
    text,
  )
}

/** A skill, prompt or sub-agent of a plug-in: a Markdown file. Names and descriptions have no hidden characters. */
export interface PluginText {
  name: string
  description: string
  /** Path in the plug-in. */
  file: string
}

/** A slash command. */
export interface PluginPrompt extends PluginText {
  /** Describes the arguments; may be empty. */
  hint: string
}

/** Instead of the name of a model: that of the conversation. */
export const inheritedModel = 'inherit'

/** Whether a plug-in means a model of Claude Code, which no server of the user has. */
export const isForeignModel = (name: string): boolean =>
  ['sonnet', 'opus', 'haiku'].includes(name.toLowerCase()) || name.toLowerCase().startsWith('claude-')

/** A kind of sub-agent. */
export interface PluginAgent extends PluginText {
  /** Names of tools as in Claude Code. Absent: all. */
  tools?: string[]
  /** `inherit`, or the name of a model, which may be none of the user's. */
  model?: string
}

export interface PluginHook {
  event: HookEvent
  /** Names of tools or sources that it is limited to. Empty: all. */
  matcher: string
  command: string
  /** In seconds. */
  timeout: number
  /** File of the plug-in that defines it. */
  source: string
}

export interface PluginServer {
  name: string
  /** As written, with `${CLAUDE_PLUGIN_ROOT}`. */
  definition: McpDefinition
}

/** What a plug-in brings. */
export interface PluginContents {
  version: string
  description: string
  author: string
  skills: PluginText[]
  prompts: PluginPrompt[]
  agents: PluginAgent[]
  hooks: PluginHook[]
  servers: PluginServer[]
  notUsed: UnusedContribution[]
}

/** Where a version came from. Only a folder can be read again. */
export type PluginSource = { kind: 'folder'; path: string } | { kind: 'archive'; name: string }

/**
 * `untrusted`: nothing of it is used until the user decides. `changed`: its files differ from what the user trusted.
 */
export type PluginState = 'trusted' | 'untrusted' | 'changed'

/** A version that waits for the user's decision, while the installed one keeps working. */
export interface OfferedVersion {
  hash: string
  contents: PluginContents
  source: PluginSource
}

/** An installed plug-in, as the window lists it. */
export interface PluginInfo {
  name: string
  /** SHA-256 of the paths and contents of all its files, which the trust is about. */
  hash: string
  contents: PluginContents
  source: PluginSource
  state: PluginState
  /** Files of the stored copy that were changed, added or removed since. */
  changedFiles: string[]
  /** In all folders without a choice of their own. */
  enabled: boolean
  /** The user's choice for the open folder. Absent: none. */
  enabledHere?: boolean
  files: number
  /** In bytes. */
  size: number
  /** Real path of the folder with its files. */
  root: string
  offered?: OfferedVersion
}

/** Size and SHA-256 of a file. */
export interface FileFacts {
  size: number
  hash: string
}

/** A difference between the installed and the offered version. */
export interface PluginChange {
  path: string
  /** Null: the version does not have it. */
  before: FileFacts | null
  after: FileFacts | null
  /**
   * The lines and the whole texts. Absent for a binary, large or empty file. `endingsDiffer`: line endings or the byte order
   * mark differ, which the lines do not show.
   */
  text?: { diff: FileDiff; before: string; after: string; endingsDiffer?: true }
}

/** What is in the data folder of a plug-in. */
export interface PluginData {
  /** Real path. */
  path: string
  /** Number and bytes of its files. */
  files: number
  size: number
  /** Whether there are more files, which were not counted. */
  more: boolean
}

/** `same`: there is nothing new. `offered`: a changed version waits for a decision. */
export type PluginOutcome = 'installed' | 'same' | 'offered'
