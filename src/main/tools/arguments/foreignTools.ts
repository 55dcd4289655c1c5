import type { ToolsetName } from '../../../shared/tools/risk.ts'

// Tool and parameter names of other coding agents that models were trained on. Data only; foreignCalls.ts applies it.
// Sources, as published in late 2026: Claude Code (code.claude.com/docs, tools reference), Anthropic's text editor tool
// (docs.claude.com), Cline (src/core/prompts/system-prompt/tools), Roo Code (src/core/prompts/tools), opencode
// (packages/opencode/src/tool), Codex (codex-rs/core/src/tools), Gemini CLI and Qwen Code (packages/core/src/tools),
// Cursor (published agent prompts), VS Code's Copilot Chat (package.json, languageModelTools), OpenHands
// (codeact_agent/tools).

/**
 * A tool's function, independent of its name. `editor` combines several capabilities, selected by its argument
 * `command`.
 */
export type Capability =
  | 'read'
  | 'write'
  | 'edit'
  | 'multiEdit'
  | 'list'
  | 'grep'
  | 'glob'
  | 'run'
  | 'patch'
  | 'fetch'
  | 'webSearch'
  | 'delete'
  | 'makeFolder'
  | 'editor'

/** The name of the tool that has a capability, by toolset. */
export const toolsByCapability: Readonly<Record<Exclude<Capability, 'editor'>, Partial<Record<ToolsetName, string>>>> =
  {
    read: { blade: 'read_file', rustant: 'file_read', rusty: 'file_read', ultrasushitron: 'Read' },
    write: { blade: 'write_file', rustant: 'file_write', rusty: 'file_write', ultrasushitron: 'Write' },
    edit: { blade: 'edit_file', rusty: 'file_edit', ultrasushitron: 'Edit' },
    multiEdit: { blade: 'apply_patch' },
    list: { blade: 'list_dir', rustant: 'file_list', ultrasushitron: 'ListDir' },
    grep: { blade: 'grep_search', ultrasushitron: 'Grep' },
    glob: { blade: 'find_files_glob', rustant: 'file_search', ultrasushitron: 'Find' },
    run: { blade: 'run_command', rustant: 'shell_exec', ultrasushitron: 'Bash' },
    patch: { blade: 'apply_patch', rustant: 'file_patch', rusty: 'apply_patch', ultrasushitron: 'Patch' },
    fetch: { rustant: 'web_fetch', ultrasushitron: 'HttpFetch' },
    webSearch: { rustant: 'web_search', ultrasushitron: 'WebSearch' },
    delete: { blade: 'delete_file' },
    makeFolder: { blade: 'create_directory' },
  }

/** Similar tools to suggest in the error, for toolsets without a tool for a capability. */
export const similarTools: Partial<Record<Capability, Partial<Record<ToolsetName, string>>>> = {
  edit: { rustant: 'file_patch' },
  multiEdit: { rustant: 'file_patch', rusty: 'apply_patch', ultrasushitron: 'Patch' },
  list: { rusty: 'file_read' },
  grep: { rustant: 'codebase_search' },
  delete: { rusty: 'apply_patch' },
}

/** Tool names by capability, in lower case with letters and digits only. A toolset's own names have priority. */
const toolNamesByCapability: Readonly<Record<Capability, string>> = {
  // Claude Code, opencode; Cline, Roo, Gemini, Qwen, Cursor, Copilot; Windsurf; camel case of them.
  read: 'read readfile fileread viewfile openfile readfilerange readtextfile fsread',
  write: 'write writefile filewrite writetofile createfile savefile writetextfile fswrite',
  // Claude Code, opencode; Gemini and Qwen (replace); Copilot (replace_string_in_file); others.
  edit: 'edit editfile fileedit strreplace replace replacestringinfile searchreplace replacetext',
  multiEdit: 'multiedit multipatch',
  // Claude Code's LS; opencode's list; Gemini's list_directory; Cline's list_files.
  list: 'ls list listdir listdirectory listfiles filelist listfilestoplevel',
  // Gemini's search_file_content and grep; Cline's and Roo's search_files; Cursor's grep_search.
  grep: 'grep greptool grepsearch searchfiles searchfilecontent ripgrep searchtext rg',
  glob: 'glob globtool find findfiles findfilesglob globfiles',
  // Claude Code, opencode; Codex; Cline, Roo; Gemini, Qwen; Cursor; Copilot; OpenHands.
  run:
    'bash shell sh terminal localshell shellcommand execcommand executecommand runcommand runshellcommand runterminalcmd runterminalcommand ' +
    'runinterminal executebash shellexec containerexec execute exec',
  patch: 'applypatch patch applydiff replaceinfile filepatch',
  fetch: 'webfetch fetch fetchurl fetchwebpage httpfetch urlfetch browse',
  webSearch: 'websearch googlewebsearch searchweb',
  delete: 'deletefile removefile filedelete',
  makeFolder: 'createdirectory mkdir makedirectory createfolder',
  editor: 'strreplaceeditor strreplacebasededittool texteditor',
}

/** Capabilities by folded name. */
export const capabilityByToolName: ReadonlyMap<string, Capability> = new Map(
  Object.entries(toolNamesByCapability).flatMap(([capability, all]) =>
    all.split(' ').map((name) => [name, capability as Capability] as const),
  ),
)

/** Meaning of a parameter, independent of its name. */
export type ParameterMeaning =
  | 'path'
  | 'content'
  | 'old'
  | 'new'
  | 'all'
  | 'pattern'
  | 'query'
  | 'command'
  | 'folder'
  | 'timeoutMs'
  | 'timeout'
  | 'url'
  | 'patch'
  | 'start'
  | 'end'
  | 'offset'
  | 'limit'
  | 'range'
  | 'edits'
  | 'outputMode'
  | 'ignoreCase'

const meanings: Readonly<Record<ParameterMeaning, string>> = {
  path: 'path filepath file filename targetfile absolutepath relativepath relativeworkspacepath directorypath dirpath directory dir folder searchpath searchdirectory',
  content: 'content contents filetext text data filecontent filecontents codecontent',
  old: 'oldstring oldstr oldtext oldcontent old search',
  new: 'newstring newstr newtext newcontent new replace replacement',
  all: 'replaceall allowmultiple',
  pattern: 'pattern regex regexp query searchpattern globpattern glob',
  query: 'query searchterm searchquery q',
  command: 'command cmd commandline script',
  folder: 'cwd workdir workingdirectory workingdir directory dir',
  timeoutMs: 'timeoutms timeoutmilliseconds',
  timeout: 'timeout',
  url: 'url uri',
  patch: 'patch diff input patchtext',
  start: 'startline linestart startlineoneindexed start fromline',
  end: 'endline lineend endlineoneindexed endlineoneindexedinclusive end toline',
  offset: 'offset',
  limit: 'limit',
  range: 'viewrange linerange',
  edits: 'edits',
  outputMode: 'outputmode',
  ignoreCase: 'i ignorecase',
}

/** Arguments of each capability. The first meaning that a name can have is used. */
export const parametersByCapability: Readonly<Record<Exclude<Capability, 'editor'>, readonly ParameterMeaning[]>> = {
  read: ['path', 'start', 'end', 'offset', 'limit', 'range'],
  write: ['path', 'content'],
  edit: ['path', 'old', 'new', 'all'],
  multiEdit: ['path', 'edits'],
  list: ['path'],
  grep: ['pattern', 'path', 'outputMode', 'ignoreCase'],
  glob: ['pattern', 'path'],
  run: ['command', 'folder', 'timeoutMs', 'timeout'],
  patch: ['patch', 'path'],
  fetch: ['url'],
  webSearch: ['query'],
  delete: ['path'],
  makeFolder: ['path'],
}

/** Folded argument names by meaning. */
export const parameterNamesByMeaning: Readonly<Record<ParameterMeaning, ReadonlySet<string>>> = mapValues(
  meanings,
  (all) => new Set(all.split(' ')),
)

/** Folded names of arguments that are ignored: explanations, confirmations, and limits or formats of the output. */
export const ignoredParameters: ReadonlySet<string> = new Set(
  'description explanation instruction instructions toolsummary reason purpose taskprogress requiresapproval securityrisk thought goal prompt format headlimit n shouldreadentirefile readentirefile'.split(
    ' ',
  ),
)
/** Arguments that have no effect with this value, by folded name. */
export const ignoredDefaultValues: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['isbackground', false],
  ['runinbackground', false],
  ['expectedreplacements', 1],
  ['recursive', false],
  ['replaceall', false],
  ['blocking', true],
  ['isinput', false],
  ['isregexp', true],
  ['dangerouslydisablesandbox', false],
])

/** Folded names that only describe a call. */
const descriptions: ReadonlySet<string> = new Set(
  'title description explanation instruction instructions toolsummary summary reason reasoning rationale purpose intent thought thoughts thinking comment note taskprogress requiresapproval securityrisk'.split(
    ' ',
  ),
)
/** Extra arguments that change nothing with this value, by folded name. */
const harmlessValues: Readonly<Record<string, (value: unknown) => boolean>> = {
  overwrite: (value) => value === true,
  encoding: (value) => typeof value === 'string' && /^(?:utf-?8|auto)$/i.test(value),
  charset: (value) => typeof value === 'string' && /^utf-?8$/i.test(value),
  timeout: (value) => typeof value === 'number' || typeof value === 'string',
  createdirs: (value) => value === true,
  createdirectories: (value) => value === true,
  createparents: (value) => value === true,
  dryrun: (value) => value === false,
  backup: (value) => value === false,
}

/** Whether an unknown argument can be ignored, because the call means the same without it. */
export function isStrayParameter(name: string, value: unknown): boolean {
  const folded = foldName(name)
  if (value === '' || descriptions.has(folded)) return true
  if (ignoredDefaultValues.has(folded) && ignoredDefaultValues.get(folded) === value) return true
  return Object.hasOwn(harmlessValues, folded) && harmlessValues[folded]?.(value) === true
}

/** Folds a name for comparison: `functions.read_file`, `default_api:readFile` and `ReadFile` become equal. */
export function foldName(name: string): string {
  return name
    .replace(/^(?:functions?|default_api|tools?|api)[.:/]/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
}

function mapValues<K extends string, V, W>(record: Readonly<Record<K, V>>, change: (value: V) => W): Record<K, W> {
  // Object.entries loses the key type; the record has exactly these keys.
  return Object.fromEntries(Object.entries<V>(record).map(([key, value]) => [key, change(value)])) as Record<K, W>
}
