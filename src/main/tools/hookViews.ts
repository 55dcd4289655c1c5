import path from 'node:path'
import { quoteWord } from '../base/quoteWord.ts'
import { relativeInside } from '../base/workspaceRoots.ts'
import { expandHome, folderNamed, type Workspace } from '../workspace/containment.ts'
import type { Tool, ToolContext, ToolOutput } from './common/toolDefinition.ts'

/** A call as hooks of Claude Code and Codex know it. */
export interface HookView {
  /** Name of their tool. */
  name: string
  /** Names that a matcher can have for it, the name of Tizona's tool included. */
  names: readonly string[]
  /** Arguments under the names of their tool, then all others. */
  input: Record<string, unknown>
  /** Returns the arguments of Tizona's tool after a hook changed the input. Absent: they cannot be changed. */
  apply?(changed: Record<string, unknown>): Record<string, unknown>
}

/** Their tool, and our arguments by the names of its arguments. */
interface KnownTool {
  name: string
  fields: Readonly<Record<string, string>>
}

const edits = ['Edit', 'Write', 'MultiEdit', 'apply_patch']
const alsoNamed: Readonly<Record<string, readonly string[]>> = {
  Edit: edits,
  Write: ['Write', 'apply_patch'],
  NotebookEdit: ['NotebookEdit', ...edits],
  Task: ['Task', 'Agent'],
}

/** Arguments that are paths, which hooks expect to be absolute. */
const pathFields = new Set(['file_path', 'notebook_path', 'path'])

const file = { file_path: 'path' }
const search = { pattern: 'pattern', path: 'path' }

/**
 * Tools by the name of ours, in all toolsets. `Edit` includes everything that changes parts of a file. Commands, MCP
 * tools, and tools that name files are recognized by their definitions.
 */
const knownTools: Readonly<Record<string, KnownTool>> = {
  read_file: { name: 'Read', fields: file },
  read_file_range: { name: 'Read', fields: file },
  file_read: { name: 'Read', fields: file },
  document_read: { name: 'Read', fields: file },
  Read: { name: 'Read', fields: { file_path: 'file_path', offset: 'offset', limit: 'limit' } },
  write_file: { name: 'Write', fields: { ...file, content: 'content' } },
  file_write: { name: 'Write', fields: { ...file, content: 'content' } },
  Write: { name: 'Write', fields: { file_path: 'file_path', content: 'content' } },
  edit_file: { name: 'Edit', fields: { ...file, old_string: 'old_content', new_string: 'new_content' } },
  file_edit: { name: 'Edit', fields: { ...file, old_string: 'old_string', new_string: 'new_string' } },
  smart_edit: { name: 'Edit', fields: { ...file, new_string: 'content' } },
  apply_patch: { name: 'Edit', fields: { ...file, old_string: 'old_text', new_string: 'new_text', command: 'patch' } },
  file_patch: { name: 'Edit', fields: { ...file, command: 'patch' } },
  Patch: { name: 'Edit', fields: { file_path: 'file_path', command: 'patch' } },
  Edit: {
    name: 'Edit',
    fields: {
      file_path: 'file_path',
      old_string: 'old_string',
      new_string: 'new_string',
      replace_all: 'replace_all',
    },
  },
  notebook_edit: {
    name: 'NotebookEdit',
    fields: { ...file, notebook_path: 'path', new_source: 'new_source', cell_type: 'type', edit_mode: 'action' },
  },
  grep_search: { name: 'Grep', fields: search },
  codebase_search: { name: 'Grep', fields: { pattern: 'query', path: 'path' } },
  Grep: { name: 'Grep', fields: search },
  find_files: { name: 'Glob', fields: search },
  find_files_glob: { name: 'Glob', fields: search },
  file_search: { name: 'Glob', fields: search },
  Find: { name: 'Glob', fields: search },
  list_dir: { name: 'LS', fields: { path: 'path' } },
  file_list: { name: 'LS', fields: { path: 'path' } },
  ListDir: { name: 'LS', fields: { path: 'path' } },
  web_fetch: { name: 'WebFetch', fields: { url: 'url' } },
  HttpFetch: { name: 'WebFetch', fields: { url: 'url' } },
  web_search: { name: 'WebSearch', fields: { query: 'query' } },
  WebSearch: { name: 'WebSearch', fields: { query: 'query' } },
  task: { name: 'Task', fields: { prompt: 'prompt' } },
  codebase_investigator: { name: 'Task', fields: { prompt: 'objective' } },
  todo_write: { name: 'TodoWrite', fields: { todos: 'todos' } },
}

/** Tools that do what a command does, by the command that does the same. They start no shell. */
const sameCommands: Readonly<Record<string, (args: Record<string, unknown>) => string>> = {
  git_commit(args) {
    const { message, path: folder } = args as { message: string; path?: string }
    const commit = `git commit -m ${quoteWord(message)}`
    return folder === undefined || folder === '.' ? commit : `cd ${quoteWord(folder)} && ${commit}`
  },
}

/**
 * Returns a call under the names of Claude Code and Codex. A call that changes several files is one edit for each of
 * them, so that a hook that checks `file_path` sees all of them.
 * @param done what the call returned, if it has run
 * @throws what `Tool.commandLine` throws
 */
export async function hookViews(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  done?: Pick<ToolOutput, 'view'>,
): Promise<HookView[]> {
  const absolute = (given: string): string => absolutePath(context.workspace, given)
  if (tool.server !== undefined) return [serverView(tool, tool.server, args)]
  if (tool.commandLine !== undefined) return [await commandView(tool, args, context)]
  const command = sameCommands[tool.name]?.(args)
  if (command !== undefined) return [view(tool, 'Bash', { ...args, command })]
  const active = await tool.activeFile?.find(context).catch(() => undefined)
  const activePaths = (use: 'reads' | 'writes') =>
    active !== undefined && tool.activeFile?.use === use ? [active] : []
  const written = [...new Set([...(tool.writes?.(args) ?? []), ...activePaths('writes')])]
  const known = knownTools[tool.name]
  if (known !== undefined && written.length <= 1 && !hasOtherFile(known, args, written))
    return [knownView(tool, known, args, absolute)]
  if (written.length > 0) return written.map((each) => fileView(tool, 'Edit', each, args, absolute))
  const read = [...new Set([...(tool.reads?.(args) ?? []), ...activePaths('reads')])]
  if (read.length > 0 && changesFiles(tool, args))
    return (await computedPaths(tool, args, context, done)).map((each) => fileView(tool, 'Edit', each, args, absolute))
  if (read.length > 0) return read.map((each) => fileView(tool, 'Read', each, args, absolute))
  // Without an active file the call fails, unless one is opened meanwhile.
  const name = tool.activeFile?.use === 'writes' ? 'Edit' : (known?.name ?? tool.name)
  return [view(tool, name, args, (changed) => changed)]
}

/** Whether a call changes files, by its risk. */
function changesFiles(tool: Tool, args: Record<string, unknown>): boolean {
  return ['write', 'destructive'].includes(tool.riskOf?.(args) ?? tool.risk)
}

/** Files that a call changes and only its run computes, such as those of a rename. Without them: those it names. */
async function computedPaths(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  done?: Pick<ToolOutput, 'view'>,
): Promise<string[]> {
  // The call itself reports why nothing can be computed.
  const { view: shown } = done ?? (await tool.preview?.(args, context).catch(() => undefined)) ?? {}
  context.signal.throwIfAborted()
  const paths = shown?.kind === 'diff' ? shown.files.map(({ path: changed }) => changed) : []
  return paths.length > 0 ? paths : (tool.reads?.(args) ?? [])
}

/** Whether a patch names its file, so that the argument with the path does not. */
function hasOtherFile({ fields }: KnownTool, args: Record<string, unknown>, [written]: readonly string[]): boolean {
  return written !== undefined && args[fields['file_path'] ?? ''] !== written
}

function view(tool: Tool, name: string, input: Record<string, unknown>, apply?: HookView['apply']): HookView {
  return { name, names: [...new Set([...(alsoNamed[name] ?? [name]), tool.name])], input, ...(apply && { apply }) }
}

/** A tool of an MCP server. Claude Code puts `plugin_` before the names of servers that plug-ins bring. */
function serverView(tool: Tool, server: string, args: Record<string, unknown>): HookView {
  const own = view(tool, `mcp__${tool.name}`, args, (changed) => changed)
  return server.includes(':') ? { ...own, names: [...own.names, `mcp__plugin_${tool.name}`] } : own
}

async function commandView(tool: Tool, args: Record<string, unknown>, context: ToolContext): Promise<HookView> {
  const line = await tool.commandLine?.(args, context)
  const command = line?.command ?? ''
  return view(tool, 'Bash', { ...args, command }, ({ command: changed, ...others }) => {
    const own = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'command'))
    if (changed === command) return { ...args, ...own }
    if (tool.withCommand === undefined || typeof changed !== 'string') return { ...own, command: changed }
    return tool.withCommand({ ...args, ...own }, changed)
  })
}

/** Returns a path as hooks expect it: below the folder itself, also in a multi-root workspace and with `~`. */
function absolutePath({ root, folders, multiRoot }: Workspace, given: string): string {
  const lexical = path.resolve(root, expandHome(given))
  const relative = relativeInside(root, lexical)
  if (folders === undefined || relative === null) return lexical
  const [name = '', ...rest] = relative.split('/')
  const folder = folderNamed(folders, name, multiRoot?.renamed)
  return folder ? path.join(folder.path, ...rest) : lexical
}

type AbsolutePath = (given: string) => string

function knownView(
  tool: Tool,
  { name, fields }: KnownTool,
  args: Record<string, unknown>,
  absolute: AbsolutePath,
): HookView {
  const shown = new Map<string, unknown>()
  for (const [theirs, ours] of Object.entries(fields)) {
    const value = args[ours]
    if (value === undefined) continue
    shown.set(theirs, pathFields.has(theirs) && typeof value === 'string' ? absolute(value) : value)
  }
  const ours = new Set(Object.values(fields))
  const others = Object.entries(args).filter(([key]) => !ours.has(key))
  const input = { ...Object.fromEntries(others), ...Object.fromEntries(shown) }
  return view(tool, name, input, (changed) => {
    const next: Record<string, unknown> = { ...args }
    for (const [theirs, value] of Object.entries(changed)) {
      // An unchanged path keeps its spelling.
      if (value === input[theirs]) continue
      next[fields[theirs] ?? theirs] = value
    }
    return next
  })
}

/** A call that names a file in another way than their tool. */
function fileView(
  tool: Tool,
  name: 'Edit' | 'Read',
  file: string,
  args: Record<string, unknown>,
  absolute: AbsolutePath,
): HookView {
  const { path: _path, ...others } = args
  const patch = typeof args['patch'] === 'string' ? { command: args['patch'] } : {}
  return view(tool, name, { ...others, ...patch, file_path: absolute(file) })
}
