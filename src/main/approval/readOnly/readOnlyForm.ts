import { once } from '../../../shared/async/once.ts'
import { hasKind } from './argumentKinds.ts'
import { operandKinds, parseArguments, parseOptionSpec, type Argument, type OptionSpec } from './optionSpec.ts'
import { readOnlyRules, type ReadOnlyRule } from './readOnlyRules.ts'
import { specialForms } from './specialForms.ts'

/** A command whose words are read-only. Its paths are checked separately. */
export interface ReadOnlyForm {
  /** Name of the rule: program and subcommand. */
  rule: string
  paths: Argument[]
  /** Folder that a `cd` enters and in which the rest of the line runs. */
  enters?: string
  recursive: boolean
  repository: boolean
  version: boolean
  /** Whether the shell runs it itself, so that no program is looked up. */
  builtin: boolean
}

interface CompiledRule extends ReadOnlyRule {
  words: readonly string[]
  spec: OptionSpec
}

/** Rules by program, longest command first. */
const rulesByProgram = once(() =>
  Map.groupBy(
    readOnlyRules.flatMap(compile).toSorted((a, b) => b.words.length - a.words.length),
    ({ words }) => words[0] ?? '',
  ),
)

function compile(rule: ReadOnlyRule): CompiledRule[] {
  const spec = parseOptionSpec(rule.options ?? '')
  return rule.command.split('|').map((command) => ({ ...rule, words: command.split(' '), spec }))
}

const builtins = new Set(['echo', 'printf', 'true', 'false', ':', 'pwd', 'cd', 'test', '[', 'type', 'command'])

/** Names of all commands with a read-only form, for the settings page and the documentation. */
export function readOnlyCommands(): string[] {
  const named = readOnlyRules.flatMap((rule) =>
    rule.command.split('|').map((command) => (rule.version ? `${command} --version` : command)),
  )
  return [...new Set([...named, ...Object.keys(specialForms)])].toSorted((a, b) => (a < b ? -1 : 1))
}

/**
 * Returns the read-only form of a command, or why it has none. Decides by the words only: without a listed rule, with
 * an option that the rule does not list, or with operands that do not fit, the command is not read-only.
 */
export function readOnlyForm(words: readonly string[]): ReadOnlyForm | { why: string } {
  const program = words[0] ?? ''
  const builtin = builtins.has(program)
  const special = specialForms[program]
  if (special !== undefined && Object.hasOwn(specialForms, program)) {
    const found = special(words.slice(1))
    if ('why' in found) return found
    const { values, enters } = found
    return { rule: program, paths: values, enters, recursive: false, repository: false, version: false, builtin }
  }
  const rules = (rulesByProgram().get(program) ?? []).filter((rule) =>
    rule.words.every((word, index) => words[index] === word),
  )
  let why: string | undefined
  for (const rule of rules) {
    const found = matchRule(rule, words.slice(rule.words.length))
    if (!('why' in found)) return { ...found, builtin }
    if (!rule.version) why ??= found.why
  }
  const name = program === 'git' ? words.slice(0, 2).join(' ') : program
  return { why: why ?? `no read-only rule covers \`${name}\`` }
}

function matchRule(rule: CompiledRule, rest: readonly string[]): Omit<ReadOnlyForm, 'builtin'> | { why: string } {
  const name = rule.words.join(' ')
  const parsed = parseArguments(rest, rule.spec)
  if ('rejected' in parsed) return { why: `\`${parsed.rejected}\` is not one of the read-only options of \`${name}\`` }
  const { used, values } = parsed
  const uses = (options: string | undefined) => options?.split(' ').some((option) => used.has(option)) ?? false
  if (rule.requires !== undefined && !uses(rule.requires))
    return { why: `\`${name}\` is read-only only with ${rule.requires.split(' ').join(' or ')}` }
  const list = uses(rule.replacesFirst) ? (rule.operands ?? '').replace(/^\S+ ?/, '') : (rule.operands ?? '')
  const operands = operandKinds(parsed.operands, list)
  if (operands === undefined || rule.accepts?.(parsed) === false)
    return { why: `these arguments are not a read-only form of \`${name}\`` }
  const all = [...values, ...operands]
  const wrong = all.find(({ kind, value }) => !hasKind(value, kind))
  if (wrong !== undefined) return { why: `\`${wrong.value}\` is not a read-only argument of \`${name}\`` }
  return {
    rule: rule.version ? `${name} --version` : name,
    paths: all.filter(({ kind }) => kind === 'path' || kind === 'file' || kind === 'revision'),
    recursive: rule.recursive === 'always' || uses(rule.recursive),
    repository: rule.repository ?? false,
    version: rule.version ?? false,
  }
}
