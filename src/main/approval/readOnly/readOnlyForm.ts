import { once } from '../../../shared/async/once.ts'
import {
  operandKinds,
  parseArguments,
  parseOptionSpec,
  type Argument,
  type OptionSpec,
  type ArgumentKind,
} from './optionSpec.ts'
import { readOnlyRules, type ReadOnlyRule } from './readOnlyRules.ts'

/** Arguments of a command with its own grammar, or why it is not read-only. */
type SpecialForm = { values: Argument[]; enters?: string } | { why: string }

const notListed = (word: string): SpecialForm => ({ why: `\`${word}\` is not one of its read-only forms.` })

/** Parsers for commands whose arguments are not options and operands. */
const specialForms: Readonly<Record<string, (words: readonly string[]) => SpecialForm>> = {
  echo: () => ({ values: [] }),
  cd: (words) => {
    const [folder, ...rest] = words[0] === '--' ? words.slice(1) : words
    return folder === undefined || folder.startsWith('-') || rest.length > 0
      ? { why: 'Only `cd FOLDER` is read-only.' }
      : { values: [{ kind: 'path', value: folder }], enters: folder }
  },
  find,
  test: (words) => test(words),
  '[': (words) => (words.at(-1) === ']' ? test(words.slice(0, -1)) : { why: 'Its `]` is missing.' }),
}

/** Conditions and actions of `find` without a value. */
const findFlags = new Set(
  (
    '-a -and -o -or -not ! ( ) , -daystart -depth -mount -xdev -noleaf -empty -false -true -executable -readable -writable ' +
    '-print -print0 -ls -prune -quit'
  ).split(' '),
)
/** Conditions of `find` whose value is compared to names, times and sizes. */
const findValues = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin ' +
    '-ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -lname -ilname -newermt -printf'
  ).split(' '),
)
const findPaths = new Set(['-newer', '-anewer', '-cnewer', '-samefile'])

function find(words: readonly string[]): SpecialForm {
  const start = words.findIndex((word) => /^[-(!,]/.test(word))
  const folders = start < 0 ? words : words.slice(0, start)
  const values: Argument[] = folders.map((value) => ({ kind: 'path', value }))
  const rest = start < 0 ? [] : words.slice(start)
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    if (findFlags.has(word)) continue
    const value = rest[at + 1]
    if (value === undefined || !(findValues.has(word) || findPaths.has(word))) return notListed(word)
    if (findPaths.has(word)) values.push({ kind: 'path', value })
    at++
  }
  return { values }
}

const fileTest = /^-[abcdefghkprstuwxLNOGS]$/
const comparison = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])

/** Excludes `-v` and `-R`, which evaluate their argument. */
function test(words: readonly string[]): SpecialForm {
  const [first = '', second = '', third = ''] = words[0] === '!' ? words.slice(1) : words
  const length = words[0] === '!' ? words.length - 1 : words.length
  if (length === 2 && /^-[nz]$/.test(first)) return { values: [] }
  if (length === 2 && fileTest.test(first)) return { values: [{ kind: 'path', value: second }] }
  if (length === 3 && comparison.has(second)) {
    if (/^-[no]t$|^-ef$/.test(second)) return { values: [first, third].map((value) => ({ kind: 'path', value })) }
    if (!second.startsWith('-') || [first, third].every((value) => /^-?\d+$/.test(value))) return { values: [] }
  }
  return { why: 'Only tests of one file, of one text, or of two numbers are read-only.' }
}

/** Whether a word is valid for an argument kind. Paths are checked separately. */
function hasKind(value: string, kind: ArgumentKind): boolean {
  if (kind.includes(',')) return kind.split(',').includes(value)
  return tests[kind]?.(value) ?? false
}

const tests: Readonly<Record<string, (value: string) => boolean>> = {
  path: (value) => value !== '',
  file: (value) => value !== '',
  text: () => true,
  name: (value) => /^\w[\w.+-]*$/.test(value),
  number: (value) => /^[-+]?\d+[bkKMG]?$/.test(value),
  seconds: (value) => /^(?:\d(?:\.\d+)?|10)s?$/.test(value),
  revision: (value) => !value.startsWith('-'),
  // `%n` sets a variable, such as PATH (bash, builtins/printf.def). `*` takes a width from the arguments.
  printf: (value) => /^(?:[^%]|%[-+ #0']*(?:[1-9]\d*)?(?:\.\d*)?[sdiouxXeEfFgGcbq]|%%)*$/.test(value),
  dateFormat: (value) => value.startsWith('+'),
  sed: isHarmlessSedScript,
  jq: isHarmlessJqFilter,
}

/** A sed script that only prints and stops: `5q`, `1,20p`, `/start/,/end/p`, `$=`, joined by `;`. */
function isHarmlessSedScript(script: string): boolean {
  const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\[^\n])*/I?)`
  // Trimmed, because several `\s*` in a row take cubic time.
  const command = new RegExp(String.raw`^(?:${address}(?:,(?:${address}|[+~]\d+))?)?\s*(?:!\s*)?[pq=]$`)
  // A `;` inside an expression also splits the script, so such a script is rejected.
  return script.split(';').every((part) => command.test(part.trim()))
}

/** jq functions that do not access files, environment variables or modules. */
const jqFunctions = new Set(
  (
    'map select length keys keys_unsorted values has in contains inside startswith endswith ltrimstr rtrimstr test match ' +
    'capture scan split splits join sub gsub ascii_downcase ascii_upcase tostring tonumber type add any all flatten range ' +
    'floor ceil round sqrt sort sort_by group_by min max min_by max_by unique unique_by reverse to_entries from_entries ' +
    'with_entries first last nth limit until while recurse paths leaf_paths path del getpath empty error not null true ' +
    'false if then elif else end and or as reduce foreach try catch label break def tojson fromjson todate fromdate now ' +
    'objects arrays strings numbers booleans nulls iterables scalars index rindex indices transpose walk implode explode ' +
    'ascii isvalid input_line_number tostream abs trim ltrim rtrim base64 base64d csv tsv html uri text json sh'
  ).split(' '),
)

/**
 * Fields, variables, names, numbers, plain text and operators of a jq filter. Text with a backslash can contain
 * expressions.
 */
const jqToken =
  /\s+|"[^"\\]*"|\.\.|\.[A-Za-z_]\w*|\$[A-Za-z_]\w*|@?[A-Za-z_][\w:]*|\d+(?:\.\d+)?|[[\](){}|,:;=!<>+\-*/%?.]/y

function isHarmlessJqFilter(filter: string): boolean {
  jqToken.lastIndex = 0
  while (jqToken.lastIndex < filter.length) {
    const token = jqToken.exec(filter)?.[0]
    if (token === undefined) return false
    if (/^\$(?:ENV$|__)/.test(token)) return false
    if (/^[A-Za-z_]/.test(token) && !jqFunctions.has(token)) return false
  }
  return true
}

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
  return { why: why ?? `No read-only rule covers \`${name}\`.` }
}

function matchRule(rule: CompiledRule, rest: readonly string[]): Omit<ReadOnlyForm, 'builtin'> | { why: string } {
  const name = rule.words.join(' ')
  const parsed = parseArguments(rest, rule.spec)
  if ('rejected' in parsed) return { why: `\`${parsed.rejected}\` is not one of the read-only options of \`${name}\`.` }
  const { used, values } = parsed
  const uses = (options: string | undefined) => options?.split(' ').some((option) => used.has(option)) ?? false
  if (rule.requires !== undefined && !uses(rule.requires))
    return { why: `\`${name}\` is read-only only with ${rule.requires.split(' ').join(' or ')}.` }
  const list = uses(rule.replacesFirst) ? (rule.operands ?? '').replace(/^\S+ ?/, '') : (rule.operands ?? '')
  const operands = operandKinds(parsed.operands, list)
  if (operands === undefined || rule.accepts?.(parsed) === false)
    return { why: `\`${name}\` is not read-only with these arguments.` }
  const all = [...values, ...operands]
  const wrong = all.find(({ kind, value }) => !hasKind(value, kind))
  if (wrong !== undefined) return { why: `\`${wrong.value}\` is not a read-only argument of \`${name}\`.` }
  return {
    rule: rule.version ? `${name} --version` : name,
    paths: all.filter(({ kind }) => kind === 'path' || kind === 'file' || kind === 'revision'),
    recursive: rule.recursive === 'always' || uses(rule.recursive),
    repository: rule.repository ?? false,
    version: rule.version ?? false,
  }
}
