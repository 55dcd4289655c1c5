import { z } from 'zod'
import { dataVariables, rootVariables } from '../../shared/plugins/plugins.ts'
import { hookEvents, type HookEvent } from '../../shared/tools/hooks.ts'
import { manifests, possibleScripts } from '../base/commandFiles.ts'

/** A hook as a file defines it. */
export interface HookDefinition {
  source: string
  event: HookEvent
  matcher: string
  command: string
  /** In seconds. */
  timeout: number
}

interface DefinedHooks {
  definitions: HookDefinition[]
  problems: string[]
  /** Whether the file exists and cannot be read, so that hooks in it may be missing. */
  unreadable: boolean
  /** Events with hooks that are not used as they are written. */
  unused: HookEvent[]
}

/** Default and maximum of a time limit in seconds. */
const defaultTimeout = 60
const maxTimeout = 600
/** Maximum number of hooks in one file. */
const maxHooks = 200

const handler = z.looseObject({
  type: z.string(),
  command: z.string().optional(),
  timeout: z.number().nullish(),
  shell: z.string().nullish(),
  args: z.array(z.unknown()).nullish(),
})
const group = z.looseObject({ matcher: z.string().nullish(), hooks: z.array(z.unknown()) })
const file = z.looseObject({
  hooks: z.record(z.string(), z.unknown()).optional(),
  disableAllHooks: z.boolean().optional(),
})

/**
 * Reads the hooks that a file defines, in its order. What Tizona does not use is a problem, so that the user does not
 * rely on it.
 */
export function parseHookFile(source: string, text: string): DefinedHooks {
  const found: DefinedHooks = { definitions: [], problems: [], unreadable: false, unused: [] }
  if (text.trim() === '') return found
  const parsed = file.safeParse(parseJson(text))
  if (!parsed.success) {
    found.problems.push(`${source} is not valid JSON with an object "hooks", so no hook in it runs.`)
    return { ...found, unreadable: true }
  }
  if (parsed.data.disableAllHooks === true) {
    found.problems.push(`All hooks of ${source} are turned off (disableAllHooks).`)
    return found
  }
  for (const [event, groups] of Object.entries(parsed.data.hooks ?? {})) {
    if (!isHookEvent(event)) {
      found.problems.push(`Hooks for the event ${event} in ${source} are not used: Tizona has no such event.`)
      continue
    }
    const list = z.array(group).safeParse(groups)
    if (list.success) for (const each of list.data) addGroup(found, source, event, each)
    else {
      found.unused.push(event)
      found.problems.push(`Hooks for ${event} in ${source} are not used: a list of objects with "hooks" is expected.`)
    }
  }
  return found
}

function addGroup(
  found: DefinedHooks,
  source: string,
  event: HookEvent,
  { matcher, hooks }: z.output<typeof group>,
): void {
  for (const each of hooks) {
    const parsed = handler.safeParse(each)
    const problem = parsed.success ? unusedBecause(parsed.data) : 'it is not an object with a type and a command'
    if (problem !== undefined || !parsed.success) {
      found.unused.push(event)
      found.problems.push(`A hook for ${event} in ${source} is not used: ${problem}.`)
    } else if (found.definitions.length === maxHooks) {
      found.unused.push(event)
      found.problems.push(`${source} has more than ${maxHooks} hooks. The others are not used.`)
      return
    } else {
      const seconds = parsed.data.timeout ?? defaultTimeout
      const timeout = seconds > 0 ? Math.min(seconds, maxTimeout) : defaultTimeout
      found.definitions.push({ source, event, matcher: matcher ?? '', command: parsed.data.command ?? '', timeout })
    }
  }
}

function unusedBecause({ type, command, shell, args }: z.output<typeof handler>): string | undefined {
  if (type !== 'command') return `Tizona runs hooks of the type "command" only, and this one has the type "${type}"`
  if (command === undefined || command.trim() === '') return 'it has no command'
  if (args !== undefined && args !== null) return 'Tizona runs a command line only, and this one has "args"'
  if (shell !== undefined && shell !== null && shell !== 'bash') return `Tizona runs bash only, not "${shell}"`
  return undefined
}

function isHookEvent(event: string): event is HookEvent {
  return hookEvents.some((each) => each === event)
}

/** Returns undefined if a text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Words of a plug-in's command that can name a file of the folder. Files and data of the plug-in and programs on PATH
 * are none.
 * Manifests are some only if the command runs a task that they define: others start what the plug-in names.
 * @param isProgram whether the shell finds a program of this name on PATH
 */
export function possibleScriptsOfPlugin(command: string, isProgram: (name: string) => boolean): string[] {
  const outside = [...rootVariables, ...dataVariables].reduce(
    (text, name) => text.replaceAll(`\${${name}}`, '/plug-in').replaceAll(`$${name}`, '/plug-in'),
    command,
  )
  // Programs on PATH are outside too, and stay programs.
  const allOutside = outside.replaceAll(
    startedProgram,
    (all: string, before: string | undefined, name: string | undefined) =>
      before !== undefined && name !== undefined && bareWord.test(name) && isProgram(name)
        ? `${before}/plug-in/${name}`
        : all,
  )
  const named = possibleScripts(allOutside, { runs: () => false, completes: 'startedPaths' })
  const plain = outside.replaceAll(/["']/g, '').replaceAll(/\bbun\s+run\s/g, 'bun ')
  return taskRunners.test(plain) ? [...named, ...manifests] : named
}

/** A quoted text, or the name of a program where the shell expects one. */
const startedProgram = /"[^"]*"|'[^']*'|((?:^|[;&|(\n])[ \t]*)([^\s;&|(]+)/g
/** Without a folder, a quote or a variable. */
const bareWord = /^[\w+-][\w.+-]*$/
/** Programs that run a task which a manifest defines, by its name. */
const taskRunners = /(?:^|[\s;&|(/])(?:npm|pnpm|yarn|poetry|make|just|cargo|go|(?:bun|deno\s+task)\s+[\w:-]+)(?:\s|$)/
