import type { ToolInfo } from '../../../shared/tools/tool.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { parseTools, type ToolsOptions } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'

/** `tizona tools`: prints the tools of a toolset. @throws UsageError */
export async function toolsCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = parseTools(args)
  const core = await openCore(context)
  try {
    context.output.line(formatTools(core.executor.describe(options.toolset), options.format))
    return exitCodes.done
  } finally {
    await core.dispose()
  }
}

/**
 * Formats tools. `openai`: the `tools` field of a chat request. `text`: names and parameters. `markdown`: one section
 * per tool.
 */
function formatTools(infos: readonly ToolInfo[], format: ToolsOptions['format']): string {
  if (format === 'openai') {
    return JSON.stringify(
      infos.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      })),
      null,
      2,
    )
  }
  return infos.map(format === 'markdown' ? asMarkdown : asText).join('\n\n')
}

interface Parameter {
  name: string
  type: string
  required: boolean
  description: string
  fallback?: string
}

function parametersOf({ schema }: ToolInfo): Parameter[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(record(schema['properties'])).map(([name, value]) => {
    const property = record(value)
    return {
      name,
      type: typeof property['type'] === 'string' ? property['type'] : 'any',
      required: required.includes(name) && property['default'] === undefined,
      description: typeof property['description'] === 'string' ? property['description'] : '',
      fallback: property['default'] === undefined ? undefined : JSON.stringify(property['default']),
    }
  })
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function note({ required, fallback }: Parameter): string {
  if (required) return 'required'
  return fallback === undefined ? 'optional' : `default ${fallback}`
}

function asText(info: ToolInfo): string {
  const lines = parametersOf(info).map(
    (parameter) => `  ${parameter.name} (${parameter.type}, ${note(parameter)}): ${parameter.description}`,
  )
  return [`${info.name} [${info.risk}]`, `  ${info.description.replaceAll('\n', '\n  ')}`, ...lines].join('\n')
}

function asMarkdown(info: ToolInfo): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const rows = parametersOf(info).map(
    (parameter) =>
      `| \`${parameter.name}\` | ${parameter.type} | ${cell(note(parameter))} | ${cell(parameter.description)} |`,
  )
  const table =
    rows.length === 0 ? [] : ['', '| Parameter | Type | | Description |', '| --- | --- | --- | --- |', ...rows]
  const aliases =
    info.aliases.length === 0 ? [] : ['', `Aliases: ${info.aliases.map((alias) => `\`${alias}\``).join(', ')}.`]
  return [`## ${info.name}`, '', info.description, '', `Risk: ${info.risk}.`, ...aliases, ...table].join('\n')
}
