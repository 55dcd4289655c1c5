/** The steps that a guided turn can take. Each is one or two calls of the active toolset (toolsetCalls.ts). */
export const acts = ['read', 'edit', 'search', 'list', 'create', 'delete', 'rename', 'run'] as const
export type Act = (typeof acts)[number]

/** An act with its arguments. */
export type Step =
  | { act: 'read' | 'edit' | 'delete'; path: string }
  | { act: 'list' }
  | { act: 'search'; text: string }
  | { act: 'create'; path: string; content: string }
  | { act: 'rename'; path: string; to: string }
  | { act: 'run'; command: string }
  | DebugStep

/**
 * Runs a program in the debugger: stops at the line, or only at an exception. Not an act of its own, as each more made
 * small models choose worse: the model chooses it instead of `read` or `run` (choose.ts).
 */
export interface DebugStep {
  act: 'debug'
  path: string
  line?: number
}

/** One line for each act, for the prompt. */
export const actDescriptions: Readonly<Record<Act, string>> = {
  read: 'read(path): read a file to answer a question about it',
  edit: 'edit(path): set, change, replace, fix, add or remove something in a file',
  search: 'search(text): find which file contains a text',
  list: 'list(): the names of the files',
  create: 'create(path, content): make a new file',
  delete: 'delete(path): delete a file',
  rename: 'rename(path, to): rename or move a file',
  run: 'run(command): run a command',
}
