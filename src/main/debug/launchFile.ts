import { z } from 'zod'
import type { DebugChoice, DebugInput } from '../../shared/debug/debug.ts'
import { ToolError } from '../../shared/errors.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { debuggerOfType, debuggerTable } from './debuggerTable.ts'
import type { StartOptions } from './debugSessions.ts'

const launchFilePath = '.vscode/launch.json'

const configurationSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  request: z.enum(['launch', 'attach']).default('launch'),
})
const launchSchema = z.object({ configurations: z.array(z.unknown()).default([]) })

export interface LaunchFile {
  choices(): Promise<{ choices: DebugChoice[]; problem?: string }>
  /** The inputs of a configuration that need answers. */
  inputs(name: string): Promise<DebugInput[]>
  /**
   * Resolves a configuration, or those of a compound. @throws ToolError `not_found`, `invalid_arguments`
   * @param answers texts for `${input:…}`, by id
   */
  resolve(
    name: string,
    answers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Omit<StartOptions, 'owner'>[]>
}

/** Reads the configurations of `.vscode/launch.json`. */
export function createLaunchFile({
  root,
  readText,
}: {
  root: string
  readText(file: string): Promise<string | null>
}): LaunchFile {
  async function configurations(): Promise<z.output<typeof configurationSchema>[]> {
    const text = await readText(launchFilePath)
    const parsed = launchSchema.safeParse(parseLooseJson(text ?? '{}')).data?.configurations ?? []
    return parsed.flatMap((each) => configurationSchema.safeParse(each).data ?? [])
  }

  return {
    async choices() {
      const all = await configurations()
      return { choices: all.map(({ name, type }) => ({ name, kind: 'configuration', ...problemOf(type) })) }
    },
    inputs: () => Promise.resolve([]),
    async resolve(name) {
      const found = (await configurations()).find((each) => each.name === name)
      if (found === undefined) throw new ToolError('not_found', `${launchFilePath} has no configuration "${name}".`)
      const definition = debuggerOfType(found.type)
      if (definition === undefined) throw new ToolError('invalid_arguments', problemOf(found.type).problem ?? '')
      const text = JSON.stringify(found).replaceAll('${workspaceFolder}', () => JSON.stringify(root).slice(1, -1))
      // JSON of an object.
      const configuration = JSON.parse(text) as Record<string, unknown>
      return [{ name, debugger: definition, request: found.request, configuration }]
    },
  }
}

function problemOf(type: string): { problem?: string } {
  if (debuggerOfType(type) !== undefined) return {}
  const known = debuggerTable.flatMap(({ types }) => types).join(', ')
  return { problem: `Tizona has no debugger for the type "${type}". It knows ${known}.` }
}
