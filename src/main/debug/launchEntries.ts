import type { z } from 'zod'
import { asSentence } from '../base/asSentence.ts'
import { checkLooseJson } from '../base/looseJson.ts'
import { debuggerOfType, debuggerTable } from './debuggerTable.ts'
import {
  compoundSchema,
  configurationSchema,
  launchFileSchema,
  type LaunchCompound,
  type LaunchConfiguration,
} from './launchSchema.ts'

export const launchFilePath = '.vscode/launch.json'

export interface LaunchEntry {
  name: string
  configuration?: LaunchConfiguration
  compound?: LaunchCompound
  problem?: string
}

export interface LaunchContents {
  entries: LaunchEntry[]
  inputs: readonly unknown[]
  problem?: string
}

/** Pure: the entries of launch.json, with what is wrong with each. */
export function parseLaunchFile(text: string): LaunchContents {
  const { value, problem } = checkLooseJson(text)
  if (problem !== undefined)
    return {
      entries: [],
      inputs: [],
      problem: `${launchFilePath} is not valid JSON, line ${problem.line}: ${problem.message}.`,
    }
  const file = launchFileSchema.safeParse(value)
  if (!file.success) return { entries: [], inputs: [], problem: `${launchFilePath}: ${issueText(file.error)}` }
  const { configurations, compounds, inputs } = file.data
  const single = configurations.map((each, index) => configurationEntry(each, index))
  const names = new Set(single.map(({ name }) => name))
  const compoundNames = new Set(compounds.flatMap((each) => nameIn(each) ?? []))
  return {
    entries: [...single, ...compounds.map((each, index) => compoundEntry(each, index, names, compoundNames, single))],
    inputs,
  }
}

function nameIn(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

function configurationEntry(value: unknown, index: number): LaunchEntry {
  const name = nameIn(value) ?? `Configuration ${index + 1}`
  const parsed = configurationSchema.safeParse(value)
  if (!parsed.success) return { name, problem: `${name}: ${issueText(parsed.error)}` }
  const known = debuggerOfType(parsed.data.type) !== undefined
  return { name, configuration: parsed.data, ...(!known && { problem: unknownType(parsed.data.type) }) }
}

function compoundEntry(
  value: unknown,
  index: number,
  names: ReadonlySet<string>,
  compoundNames: ReadonlySet<string>,
  single: readonly LaunchEntry[],
): LaunchEntry {
  const name = nameIn(value) ?? `Compound ${index + 1}`
  const parsed = compoundSchema.safeParse(value)
  // The window shows it as a compound even if it cannot start.
  const compound = parsed.data ?? { name, configurations: [], stopAll: false }
  const problem = parsed.success
    ? compound.configurations
        .map((each) => {
          if (names.has(each)) return single.find((entry) => entry.name === each)?.problem
          return compoundNames.has(each)
            ? `${name}: "${each}" is a compound, and compounds cannot contain others.`
            : `${name}: there is no configuration "${each}".`
        })
        .find((each) => each !== undefined)
    : `${name}: ${issueText(parsed.error)}`
  return { name, compound, ...(problem !== undefined && { problem }) }
}

/** Describes the first mistake in a sentence. */
export function issueText({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'The value is not valid.'
  const place = issue.path.map(String).join('.')
  if (place === '') return 'The value is not an object.'
  return issue.code === 'invalid_type' && issue.input === undefined && /undefined/.test(issue.message)
    ? `"${place}" is missing.`
    : `"${place}" is not valid. ${asSentence(issue.message)}`
}

export function unknownType(type: string): string {
  const known = debuggerTable.flatMap(({ types }) => types).join(', ')
  return `Tizona has no debugger for the type "${type}". It knows ${known}.`
}
