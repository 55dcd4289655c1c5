import { modes, risks, type Mode } from '../../../shared/risk.ts'
import type { JsonSchema } from '../../../shared/tool.ts'
import { plural } from '../../../shared/plural.ts'
import { decisionFor } from '../../approval/modePolicy.ts'
import { firstSentence, isObject, parametersSchema, typeText } from './toolSchema.ts'
import type { Tool } from '../tool.ts'
import type { Toolset } from '../toolset.ts'

/** Tools under a heading of the document. */
type Section = Pick<Toolset, 'title' | 'tools'>

const answers = { allow: 'runs', ask: 'asks', refuse: 'refused' } as const

/** Lines of an example's result that are shown, and characters of each. */
const shown = { lines: 16, columns: 160 }

/**
 * docs/tools.md: every tool of every toolset, and Tizona's own beside them, with its parameters, risk, what each mode does with it, and examples.
 * @param outputs what an example gives, by the example itself; an example without one is shown alone
 */
export function toolDocs(toolsets: readonly Section[], outputs: ReadonlyMap<object, string> = new Map()): string {
  const anchorOf = createAnchors()
  return (
    [
      '# Tools',
      '',
      '<!-- Written by `node scripts/docs.ts` from the tools themselves; edit those instead. -->',
      '',
      'A toolset names the same abilities as one family of models knows them. Every call takes the same way, whoever makes it: its arguments',
      'are checked, its risk is weighed against the mode, and only then does it run.',
      "Tizona's own tools, at the end, stand beside those of every toolset.",
      '',
      '## Risk and modes',
      '',
      table(
        ['Risk', ...modes.map((mode) => `\`${mode}\``)],
        risks.map((risk) => [risk, ...modes.map((mode) => answers[decisionFor(mode, risk)])]),
      ),
      '',
      'In every mode, paths outside the workspace are refused and protected paths are asked. "Up to" marks a tool whose risk depends on its',
      'arguments.',
      '',
      "Rustant's safety modes Safe, Cautious, Paranoid and Yolo are the first four of these, under the same names (case does not matter) and with",
      'the same meaning; `plan` is ours. A tool that the user switched off, or that reaches the web while the web is off, is not offered and answers',
      '`switched_off`.',
      '',
      'Each example is a call that was really made, in the small folder of `src/main/testing/exampleWorkspace.ts`; below it stands the beginning of',
      'what a model reads.',
      ...toolsets
        .filter((toolset) => toolset.tools.length > 0)
        .map((toolset) => toolsetSection(toolset, anchorOf, outputs)),
    ].join('\n') + '\n'
  )
}

/** Names that two toolsets share get the suffix that Markdown renderers give to a heading's second occurrence. */
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
    ...modes.map((mode) => answerOf(tool, mode)),
    firstSentence(tool.description),
  ])
  return [
    '',
    `## ${toolset.title}`,
    '',
    table(['Tool', 'Risk', ...modes.map((mode) => `\`${mode}\``), 'What it does'], rows),
    ...toolset.tools.map((tool) => toolSection(tool, outputs)),
  ].join('\n')
}

function toolSection(tool: Tool, outputs: ReadonlyMap<object, string>): string {
  const schema = parametersSchema(tool)
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const parts = ['', `### ${tool.name}`, '', tool.description, '', `Risk: ${riskText(tool)}.`]
  if (tool.aliases && tool.aliases.length > 0) parts.push(`Also called: ${codes(tool.aliases)}.`)
  if (properties.length === 0) parts.push('', 'No parameters.')
  else {
    const rows = properties.map(([name, value]) => parameterRow(tool, schema, name, isObject(value) ? value : {}))
    parts.push('', table(['Parameter', 'Type', 'Required', 'Default', 'Limits', 'Also accepted as', 'Meaning'], rows))
  }
  for (const example of tool.examples ?? []) parts.push('', ...exampleLines(example, outputs.get(example)))
  return parts.join('\n')
}

function exampleLines(example: object, output: string | undefined): string[] {
  const args = Object.keys(example).length === 0 ? '{}' : JSON.stringify(example, null, 2)
  if (output === undefined) return ['```json', args, '```']
  const lines = output.trimEnd().split('\n')
  const rest = lines.length - shown.lines
  const first = lines
    .slice(0, rest > 1 ? shown.lines : undefined)
    .map((line) => (line.length > shown.columns ? `${line.slice(0, shown.columns)}…` : line))
  return [
    '```json',
    args,
    '```',
    'gives',
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

/** For a risk that depends on the arguments: what the mode does with each of the tool's examples, and with the highest risk. */
function answerOf(tool: Tool, mode: Mode): string {
  const possible = [
    ...(tool.examples ?? []).map((example) => tool.riskOf?.(tool.schema.parse(example)) ?? tool.risk),
    tool.risk,
  ]
  const ordered = risks.filter((risk) => possible.includes(risk))
  return [...new Set(ordered.map((risk) => answers[decisionFor(mode, risk)]))].join(' or ')
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
