import type { ToolsetName } from '../../../shared/tools/risk.ts'
import {
  capabilityByToolName,
  foldName,
  parameterNamesByMeaning,
  toolsByCapability,
  ignoredParameters,
  parametersByCapability,
  ignoredDefaultValues,
  type Capability,
  type ParameterMeaning,
} from './foreignTools.ts'

/** Another agent's tool call, translated to the matching tool of the toolset. */
export interface AdaptedCall {
  name: string
  args: Record<string, unknown>
}

type Arguments = Readonly<Record<string, unknown>>
type PlainCapability = Exclude<Capability, 'editor'>
type Values = Partial<Record<ParameterMeaning, unknown>>

/**
 * Returns the capability that another agent's tool name stands for, or undefined if the name is unknown. The name
 * `editor` covers several; its argument `command` selects one.
 */
export function foreignCapability(name: string, args?: Arguments): PlainCapability | undefined {
  const capability = capabilityByToolName.get(foldName(name))
  if (capability !== 'editor') return capability
  const commands: Readonly<Record<string, PlainCapability>> = { view: 'read', create: 'write', str_replace: 'edit' }
  const command = args?.command
  return typeof command === 'string' && Object.hasOwn(commands, command) ? commands[command] : undefined
}

/**
 * Translates another agent's tool call to the toolset. Returns undefined if the toolset lacks the capability, or an
 * argument is unknown or ambiguous. Offsets are 0-based in some agents and 1-based in others, so the read includes
 * both lines.
 */
export function adaptCall(toolset: ToolsetName, name: string, args: Arguments): AdaptedCall | undefined {
  const capability = foreignCapability(name, args)
  const own = capability && toolsByCapability[capability][toolset]
  if (capability === undefined || own === undefined) return undefined
  const isEditor = capabilityByToolName.get(foldName(name)) === 'editor'
  const values = meaningsOf(capability, isEditor ? withoutKey(args, 'command') : args)
  const adapted = values && adapters[capability](values, toolset)
  if (!adapted) return undefined
  const { name: other, ...rest } = adapted
  // Optional parameters are omitted instead of passed as undefined.
  return {
    name: typeof other === 'string' ? other : own,
    args: Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
  }
}

/** Returns arguments by meaning, or undefined if one is unknown or two have the same meaning. */
function meaningsOf(capability: PlainCapability, args: Arguments): Values | undefined {
  const values: Values = {}
  for (const [name, value] of Object.entries(args)) {
    if (value === null || value === undefined) continue
    const plain = foldName(name)
    const meaning = parametersByCapability[capability].find((one) => parameterNamesByMeaning[one].has(plain))
    if (meaning === undefined) {
      if (
        ignoredParameters.has(plain) ||
        (ignoredDefaultValues.has(plain) && ignoredDefaultValues.get(plain) === value)
      )
        continue
      return undefined
    }
    if (values[meaning] !== undefined && JSON.stringify(values[meaning]) !== JSON.stringify(value)) return undefined
    values[meaning] = value
  }
  return values
}

/**
 * Functions that build the arguments for a toolset's tool. `name` in the result selects another tool of the toolset.
 */
const adapters: Readonly<
  Record<PlainCapability, (values: Values, toolset: ToolsetName) => Record<string, unknown> | undefined>
> = {
  read(values, toolset) {
    const { path } = values
    const lines = lineRangeOf(values)
    if (!lines) return undefined
    const { start, end } = lines
    const all = start === undefined && end === undefined
    switch (toolset) {
      case 'blade':
        return all ? { path } : { name: 'read_file_range', path, start_line: start, end_line: end }
      case 'rustant':
        return { path, start_line: start, end_line: end }
      case 'rusty':
        return {
          path,
          offset: start === undefined ? undefined : start - 1,
          limit: end === undefined ? undefined : end - (start ?? 1) + 1,
        }
      case 'ultrasushitron':
        return { file_path: path, offset: start, limit: end === undefined ? undefined : end - (start ?? 1) + 1 }
    }
  },
  write: ({ path, content }, toolset) => ({ [pathName(toolset)]: path, content }),
  edit({ path, old, new: replacement, all }, toolset) {
    if (toolset === 'ultrasushitron')
      return { file_path: path, old_string: old, new_string: replacement, replace_all: all }
    if (all === true || all === 'true') return undefined
    return toolset === 'blade'
      ? { path, old_content: old, new_content: replacement }
      : { path, old_string: old, new_string: replacement }
  },
  multiEdit({ path, edits }) {
    if (!Array.isArray(edits)) return undefined
    const patches = edits.map((edit: unknown) => {
      const values =
        typeof edit === 'object' && edit !== null
          ? meaningsOf('edit', Object.fromEntries(Object.entries(edit)))
          : undefined
      return values && values.all !== true && values.path === undefined
        ? { old_text: values.old, new_text: values.new }
        : undefined
    })
    return patches.includes(undefined) ? undefined : { path, patches }
  },
  list: ({ path }) => ({ path }),
  grep({ pattern, path, outputMode, ignoreCase }, toolset) {
    const wanted =
      (ignoreCase === true || ignoreCase === 'true') && typeof pattern === 'string' ? `(?i)${pattern}` : pattern
    if (toolset === 'blade')
      return outputMode === undefined || outputMode === 'content' ? { pattern: wanted, path } : undefined
    return { pattern: wanted, path, output_mode: outputMode === 'files_with_matches' ? 'files' : outputMode }
  },
  glob: ({ pattern, path }) => ({ pattern, path }),
  run({ command, folder, timeoutMs, timeout }, toolset) {
    const line = commandLine(command)
    // A timeout without a unit is in seconds in some agents and in milliseconds in others.
    const milliseconds = timeoutMs ?? (typeof timeout === 'number' && timeout >= 1_000 ? timeout : undefined)
    if (line === undefined || (timeout !== undefined && milliseconds === undefined)) return undefined
    if (toolset === 'blade') return { command: line, cwd: folder, timeout_ms: milliseconds }
    if (folder !== undefined && folder !== '.') return undefined
    const seconds = typeof milliseconds === 'number' ? Math.ceil(milliseconds / 1_000) : undefined
    return toolset === 'rustant' ? { command: line, timeout_secs: seconds } : { command: line, timeout: seconds }
  },
  patch({ patch, path }, toolset) {
    if (toolset === 'rusty') return path === undefined ? { patch } : undefined
    return toolset === 'ultrasushitron' ? { file_path: path, patch } : { path, patch }
  },
  fetch: ({ url }) => ({ url }),
  webSearch: ({ query }) => ({ query }),
  delete: ({ path }) => ({ path }),
  makeFolder: ({ path }) => ({ path }),
}

function pathName(toolset: ToolsetName): string {
  return toolset === 'ultrasushitron' ? 'file_path' : 'path'
}

/** Returns the lines to read, 1-based and inclusive, or undefined for invalid numbers. */
function lineRangeOf({ start, end, offset, limit, range }: Values): { start?: number; end?: number } | undefined {
  const numbers = [start, end, offset, limit].map(wholeNumber)
  if (numbers.includes(Number.NaN)) return undefined
  const [from, to, skipped, count] = numbers
  if (Array.isArray(range)) {
    // An end of -1 is the end of the file.
    const [first, last] = range.map((value) => (value === -1 ? undefined : wholeNumber(value)))
    return first === undefined || !(first >= 1) || Number.isNaN(last) ? undefined : { start: first, end: last }
  }
  if (skipped === undefined && count === undefined) return { start: from, end: to }
  if (from !== undefined || to !== undefined) return undefined
  const first = Math.max(skipped ?? 1, 1)
  const last = count === undefined ? undefined : (skipped ?? 0) + count
  return last !== undefined && last < first ? undefined : { start: first, end: last }
}

/** Returns undefined for a missing value, and NaN for anything except a non-negative integer. */
function wholeNumber(value: unknown): number | undefined {
  if (value === undefined) return undefined
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : Number.NaN
}

/** Returns a command line. For a list, returns the script after `bash -lc`, or the words quoted for a shell. */
function commandLine(command: unknown): unknown {
  if (!Array.isArray(command)) return command
  if (command.length === 0 || !command.every((word): word is string => typeof word === 'string')) return undefined
  const [shell = '', flag = '', script, ...rest] = command
  if (
    /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/.test(shell) &&
    /^-l?c$/.test(flag) &&
    script !== undefined &&
    rest.length === 0
  )
    return script
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

function withoutKey(args: Arguments, key: string): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== key))
}
