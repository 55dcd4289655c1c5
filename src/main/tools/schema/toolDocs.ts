import { modes, risks, type Mode } from '../../../shared/tools/risk.ts'
import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { commandKinds, commandTable, decisionFor, type CommandKind } from '../../approval/modePolicy.ts'
import { firstSentence, isObject, parametersSchema, typeText } from './toolSchema.ts'
import type { Tool, Toolset } from '../common/toolDefinition.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/** A heading of the document and its tools. */
type Section = Pick<Toolset, 'title' | 'tools'>

const decisionTexts = { allow: 'allowed', ask: 'needs approval', refuse: 'refused' } as const

const kinds = Object.keys(commandKinds) as CommandKind[]

/** Maximum lines of an example's result, and maximum characters of a line. */
const exampleLimits = { lines: 16, columns: 160 }

/**
 * Returns docs/tools.md: all tools with their parameters, risk, the decision of each mode, and examples.
 * @param outputs results by example object; an example without a result is shown alone
 */
export function toolDocs(toolsets: readonly Section[], outputs: ReadonlyMap<object, string> = new Map()): string {
  const anchorOf = createAnchors()
  return (
    [
      '# Tools',
      '',
      '<!-- Written by `node scripts/docs.ts` from the tools themselves; edit those instead. -->',
      '',
      'A toolset offers the tools of one model family, under the names that its models know. Every call is handled in the same way:',
      'its arguments are checked, its risk is compared with the mode, and then it runs or waits for approval.',
      "Tizona's own tools, at the end, are offered with every toolset.",
      '',
      '## Risk and modes',
      '',
      table(
        ['Risk', ...modes.map((mode) => `\`${mode}\``)],
        risks.map((risk) => [risk, ...modes.map((mode) => decisionTexts[decisionFor(mode, risk)])]),
      ),
      '',
      'Tools that run a command line decide by its kind instead:',
      '',
      table(
        ['Command line', ...modes.map((mode) => `\`${mode}\``)],
        kinds.map((kind) => [commandKinds[kind], ...modes.map((mode) => decisionTexts[commandTable[mode][kind]])]),
      ),
      '',
      'A rule of the user that denies a command refuses it in every mode. Which commands are read-only, and when a command runs in the',
      'sandbox, is in [architecture/approval.md](architecture/approval.md).',
      '',
      'In every mode, paths outside the workspace are refused, and writing to protected paths needs approval. "Up to" marks a tool whose',
      'risk depends on its arguments.',
      '',
      "Rustant's safety modes Safe, Cautious, Paranoid and Yolo are the first four modes, with the same names (ignoring case) and the same",
      'meaning; `plan` is an addition. A tool that the user turned off, or that needs the web while web access is off, is not offered. Calling',
      'it fails with `switched_off`.',
      '',
      'Each example was run in the workspace of `src/main/testing/exampleWorkspace.ts`. Below each call is the start of the text for the',
      'model.',
      ...toolsets
        .filter((toolset) => toolset.tools.length > 0)
        .map((toolset) => toolsetSection(toolset, anchorOf, outputs)),
    ].join('\n') + '\n'
  )
}

/** Creates anchors like Markdown renderers: repeated headings get a numeric suffix. */
function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const anchor = heading.toLowerCase()
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}

function toolsetSection(
  toolset: Section,
  anchorOf: (heading: string) => string,
  outputs: ReadonlyMap<object, string>,
): string {
  const rows = toolset.tools.map((tool) => [
    `[\`${tool.name}\`](#${anchorOf(tool.name)})`,
    riskText(tool),
    ...modes.map((mode) => decisionText(tool, mode)),
    firstSentence(tool.description),
  ])
  return [
    '',
    `## ${toolset.title}`,
    '',
    table(['Tool', 'Risk', ...modes.map((mode) => `\`${mode}\``), 'Description'], rows),
    ...toolset.tools.map((tool) => toolSection(tool, outputs)),
  ].join('\n')
}

function toolSection(tool: Tool, outputs: ReadonlyMap<object, string>): string {
  const schema = parametersSchema(tool)
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const parts = ['', `### ${tool.name}`, '', tool.description, '', `Risk: ${riskText(tool)}.`]
  if (tool.aliases && tool.aliases.length > 0) parts.push(`Aliases: ${codes(tool.aliases)}.`)
  if (properties.length === 0) parts.push('', 'No parameters.')
  else {
    const rows = properties.map(([name, value]) => parameterRow(tool, schema, name, isObject(value) ? value : {}))
    parts.push(
      '',
      table(['Parameter', 'Type', 'Required', 'Default', 'Limits', 'Also accepted as', 'Description'], rows),
    )
  }
  for (const example of tool.examples ?? []) parts.push('', ...exampleLines(example, outputs.get(example)))
  return parts.join('\n')
}

function exampleLines(example: object, output: string | undefined): string[] {
  const args = Object.keys(example).length === 0 ? '{}' : JSON.stringify(example, null, 2)
  if (output === undefined) return ['```json', args, '```']
  const lines = output.trimEnd().split('\n')
  const rest = lines.length - exampleLimits.lines
  const first = lines
    .slice(0, rest > 1 ? exampleLimits.lines : undefined)
    .map((line) => truncate(line, exampleLimits.columns))
  return [
    '```json',
    args,
    '```',
    'Result:',
    '```text',
    ...first,
    ...(rest > 1 ? [`… and ${plural(rest, 'more line')}`] : []),
    '```',
  ]
}

function parameterRow(tool: Tool, schema: JsonSchema, name: string, field: JsonSchema): string[] {
  const aliases = Object.entries(tool.parameterAliases ?? {})
    .filter(([, main]) => main === name)
    .map(([alias]) => alias)
  return [
    `\`${name}\``,
    typeText(field),
    Array.isArray(schema.required) && schema.required.includes(name) ? 'yes' : 'no',
    field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``,
    limits(field),
    codes(aliases),
    typeof field.description === 'string' ? field.description : '',
  ]
}

function limits(field: JsonSchema): string {
  const parts: string[] = []
  if (typeof field.minimum === 'number') parts.push(`from ${field.minimum}`)
  if (typeof field.maximum === 'number') parts.push(`to ${field.maximum}`)
  if (typeof field.minLength === 'number') parts.push(`${plural(field.minLength, 'character')} or more`)
  if (typeof field.maxLength === 'number') parts.push(`${plural(field.maxLength, 'character')} at most`)
  return parts.join(' ')
}

function riskText(tool: Tool): string {
  return tool.riskOf ? `up to ${tool.risk}` : tool.risk
}

/**
 * Describes how a mode decides about a tool's calls: for each kind of command line, or for the risks of its examples and
 * for its highest risk.
 */
function decisionText(tool: Tool, mode: Mode): string {
  if (tool.commandLine !== undefined)
    return [...new Set(kinds.map((kind) => decisionTexts[commandTable[mode][kind]]))].join(' or ')
  const possible = [
    ...(tool.examples ?? []).map((example) => tool.riskOf?.(tool.schema.parse(example)) ?? tool.risk),
    tool.risk,
  ]
  const ordered = risks.filter((risk) => possible.includes(risk))
  return [...new Set(ordered.map((risk) => decisionTexts[decisionFor(mode, risk)]))].join(' or ')
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
