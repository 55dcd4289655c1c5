import type { ToolsetName } from '../../../shared/tools/risk.ts'
import { acts, type Act, type Step } from './acts.ts'

/** A call of the active toolset: name and arguments. */
export type GuidedCall = readonly [name: string, args: Readonly<Record<string, unknown>>]

/** How a toolset does each act. An absent act is not on offer. */
export interface ToolsetCalls {
  read?(path: string): GuidedCall
  /** Replaces whole lines that occur once. The file has been read before. */
  edit?(path: string, oldText: string, newText: string): GuidedCall
  create?(path: string, content: string): GuidedCall
  search?(text: string): GuidedCall
  list?(): GuidedCall
  delete?(path: string): GuidedCall
  rename?(path: string, to: string): GuidedCall
  run?(command: string): GuidedCall
}

/** Name of the tool that all toolsets have for a debugged run. */
export const debugTool = 'debug_run'

/** Escapes a text for use in a regular expression. */
const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const rustyPatch = (...lines: string[]): GuidedCall => [
  'apply_patch',
  { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
]

export const toolsetCalls: Readonly<Record<ToolsetName, ToolsetCalls>> = {
  blade: {
    read: (path) => ['read_file', { path }],
    edit: (path, oldText, newText) => ['edit_file', { path, old_content: oldText, new_content: newText }],
    create: (path, content) => ['write_file', { path, content }],
    search: (text) => ['grep_search', { pattern: `(?i)${literal(text)}` }],
    list: () => ['list_dir', { path: '.' }],
    delete: (path) => ['delete_file', { path }],
    rename: (path, to) => ['move_file', { source: path, destination: to }],
    run: (command) => ['run_command', { command }],
  },
  ultrasushitron: {
    read: (path) => ['Read', { file_path: path }],
    edit: (path, oldText, newText) => ['Edit', { file_path: path, old_string: oldText, new_string: newText }],
    create: (path, content) => ['Write', { file_path: path, content }],
    search: (text) => ['Grep', { pattern: `(?i)${literal(text)}` }],
    list: () => ['ListDir', { path: '.' }],
    run: (command) => ['Bash', { command }],
  },
  rustant: {
    read: (path) => ['file_read', { path }],
    edit: (path, oldText, newText) => [
      'file_patch',
      { path, patch: `<<<<<<< SEARCH\n${oldText}\n=======\n${newText}\n>>>>>>> REPLACE\n` },
    ],
    create: (path, content) => ['file_write', { path, content }],
    search: (text) => ['codebase_search', { query: text }],
    list: () => ['file_list', { path: '.' }],
    run: (command) => ['shell_exec', { command }],
  },
  rusty: {
    read: (path) => ['file_read', { path }],
    edit: (path, oldText, newText) => ['file_edit', { path, old_string: oldText, new_string: newText }],
    create: (path, content) => ['file_write', { path, content }],
    delete: (path) => rustyPatch(`*** Delete File: ${path}`),
    rename: (path, to) => rustyPatch(`*** Update File: ${path}`, `*** Move to: ${to}`),
  },
}

/** Returns the acts of a toolset whose tools are turned on. */
export function offeredActs(calls: ToolsetCalls, tools: ReadonlySet<string>): Act[] {
  const probes: Readonly<Record<Act, GuidedCall | undefined>> = {
    read: calls.read?.(''),
    edit: calls.read && calls.edit?.('', '', ''),
    search: calls.search?.(''),
    list: calls.list?.(),
    create: calls.create?.('', ''),
    delete: calls.delete?.(''),
    rename: calls.rename?.('', ''),
    run: calls.run?.(''),
  }
  return acts.filter((act) => {
    const name = probes[act]?.[0]
    return name !== undefined && tools.has(name) && (act !== 'edit' || tools.has(probes.read?.[0] ?? ''))
  })
}

/** Returns the first call of a step; undefined if the toolset cannot do it. A change begins with a read. */
export function firstCallOf(calls: ToolsetCalls, step: Step): GuidedCall | undefined {
  switch (step.act) {
    case 'read':
    case 'edit':
      return calls.read?.(step.path)
    case 'delete':
      return calls.delete?.(step.path)
    case 'list':
      return calls.list?.()
    case 'search':
      return calls.search?.(step.text)
    case 'create':
      return calls.create?.(step.path, step.content)
    case 'rename':
      return calls.rename?.(step.path, step.to)
    case 'run':
      return calls.run?.(step.command)
    case 'debug': {
      const { path, line } = step
      const breakpoints = line === undefined ? [] : [{ path, line }]
      return [debugTool, { program: path, on_exception: true, breakpoints }]
    }
  }
}
