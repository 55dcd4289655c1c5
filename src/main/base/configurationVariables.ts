import type { WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'

/** The file in the active editor. */
export interface ActiveFile {
  /** Relative to the workspace, with `/`. */
  path: string
  line: number | null
  /** Empty if nothing is selected. */
  selection: string
}

/** Values for the variables of launch.json and tasks.json. */
export interface VariableContext {
  /** Real path of the folder. */
  root: string
  /** All folders of a multi-root workspace, for `${workspaceFolder:NAME}`. */
  folders?: readonly WorkspaceFolder[] | undefined
  home: string
  /** Variables that commands get. Others are empty. */
  environment: Readonly<Record<string, string>>
  /** Null if no file of the workspace is active. */
  active: ActiveFile | null
  /** Values of `${input:…}`, by id. */
  inputs: Readonly<Record<string, string>>
  /** Keeps unknown names such as `${HOME}`, which a shell replaces. Default: an error. */
  keepUnknown?: boolean
}

/** Returns the values of variables for one use. @param inputs values of `${input:…}` */
export type VariableValues = (inputs: Readonly<Record<string, string>>) => Promise<VariableContext>

/** Returns values for the files of a folder of the workspace. @param folder its name; default the first one */
export type FolderVariables = (...args: [...Parameters<VariableValues>, folder?: string]) => ReturnType<VariableValues>

/** `$` and braces without others inside. Linear: the text between cannot contain its start. */
const variable = /\$\{([^${}]+)\}/g

const editorVariables: Readonly<Record<string, (file: ActiveFile, root: string) => string>> = {
  file: ({ path: file }, root) => path.join(root, file),
  fileWorkspaceFolder: (_, root) => root,
  relativeFile: ({ path: file }) => file,
  relativeFileDirname: ({ path: file }) => path.posix.dirname(file),
  fileBasename: ({ path: file }) => path.posix.basename(file),
  fileBasenameNoExtension: ({ path: file }) => path.posix.parse(file).name,
  fileDirname: ({ path: file }, root) => path.dirname(path.join(root, file)),
  fileDirnameBasename: ({ path: file }, root) => path.basename(path.dirname(path.join(root, file))),
  fileExtname: ({ path: file }) => path.posix.extname(file),
}

const plainVariables: Readonly<Record<string, (context: VariableContext) => string>> = {
  workspaceFolder: ({ root }) => root,
  workspaceRoot: ({ root }) => root,
  workspaceFolderBasename: ({ root }) => path.basename(root),
  cwd: ({ root }) => root,
  userHome: ({ home }) => home,
  pathSeparator: () => path.sep,
  '/': () => path.sep,
}

/** Names of all variables that need no argument, for completion. */
export const variableNames: readonly string[] = [
  ...Object.keys(plainVariables),
  ...Object.keys(editorVariables),
  'lineNumber',
  'selectedText',
]

/** Returns the text of each `${…}` in the strings of a JSON value. */
export function variablesIn(value: unknown): Set<string> {
  const names = new Set<string>()
  mapStrings(value, (text) => {
    for (const [, name = ''] of text.matchAll(variable)) names.add(name)
    return text
  })
  return names
}

/** Whether a variable needs the active file. */
const needsActiveFile = (name: string): boolean =>
  Object.hasOwn(editorVariables, name) || name === 'lineNumber' || name === 'selectedText'

/**
 * Replaces variables in all strings of a JSON value, as VS Code does. Their values are not searched for variables.
 * @throws ToolError invalid_arguments that names the variable
 */
export function resolveVariables<T>(value: T, context: VariableContext): T {
  // Only strings change, to strings.
  return mapStrings(value, (text) =>
    text.replace(variable, (whole, name: string) => valueOf(name, whole, context)),
  ) as T
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]))
}

function valueOf(name: string, whole: string, context: VariableContext): string {
  const plain = Object.hasOwn(plainVariables, name) ? plainVariables[name] : undefined
  if (plain) return plain(context)
  if (needsActiveFile(name)) return editorValue(name, whole, context)
  const colon = name.indexOf(':')
  const kind = colon < 0 ? name : name.slice(0, colon)
  const argument = colon < 0 ? '' : name.slice(colon + 1)
  switch (kind) {
    case 'env':
      return (Object.hasOwn(context.environment, argument) && context.environment[argument]) || ''
    case 'input': {
      const input = Object.hasOwn(context.inputs, argument) ? context.inputs[argument] : undefined
      if (input !== undefined) return input
      throw unresolved(whole, `There is no value for the input "${argument}".`, 'Start it from the Run view.')
    }
    case 'workspaceFolder': {
      const folder = context.folders?.find((each) => each.name === argument)
      if (folder) return folder.path
      if (argument === path.basename(context.root)) return context.root
      throw unresolved(whole, 'No open folder has this name.', 'Use ${workspaceFolder}.')
    }
    case 'config':
      throw unresolved(whole, 'VS Code settings are not available in Tizona.', 'Replace it with the value.')
    case 'command':
      throw commandVariable(whole, argument)
    case 'defaultBuildTask':
      throw unresolved(whole, 'It can only be used as the name of a task.', 'Use the name of the task.')
  }
  if (context.keepUnknown === true && /^\w+$/.test(name)) return whole
  throw unresolved(whole, 'It is unknown.', `Use one of ${variableNames.join(', ')}, env:NAME and input:ID.`)
}

function editorValue(name: string, whole: string, { active, root }: VariableContext): string {
  if (active === null) throw unresolved(whole, 'No file of the folder is open in the editor.', 'Open a file first.')
  if (name === 'selectedText') {
    if (active.selection !== '') return active.selection
    throw unresolved(whole, 'Nothing is selected.', 'Select the text first.')
  }
  if (name === 'lineNumber') {
    if (active.line !== null) return `${active.line}`
    throw unresolved(whole, 'The editor has no cursor.', 'Place the cursor in the text first.')
  }
  return editorVariables[name]?.(active, root) ?? ''
}

function commandVariable(whole: string, command: string): ToolError {
  return /^(?:extension\.)?pick(?:\w+)?Process$|pickProcess$|pickMyProcess$/i.test(command)
    ? unresolved(whole, 'A configuration cannot pick a process.', 'Use "Attach to a process" in the Run view.')
    : unresolved(whole, 'VS Code commands are not available in Tizona.', 'Replace it with the value, or use an input.')
}

const unresolved = (whole: string, reason: string, next: string): ToolError =>
  new ToolError('invalid_arguments', `The variable ${whole} cannot be resolved. ${reason}`, next)
