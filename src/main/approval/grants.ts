import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import type { Mode, Risk } from '../../shared/tools/risk.ts'
import { proposePrefix, isCoveredByPrefix } from './commandPrefix.ts'
import type { AgentReport } from './gateCall.ts'
import { isRiskCovered } from './modePolicy.ts'

/** Properties of a call that grants are compared with. */
export interface GrantedCall {
  tool: string
  risk: Risk
  mode: Mode
  arguments: Record<string, unknown>
  writes: readonly string[]
  command?: string
  cwd?: string
  /** How the command would run. Undefined counts as outside the sandbox. */
  sandbox?: CommandSandbox
  /** An external agent's report about a call in its own process. */
  report?: AgentReport
  isCode?: true | undefined
  /** Method and origin of a web request. */
  scope?: string
}

/** The access of a granted command. A grant also covers the command with less access. */
const accessOrder = ['noNetwork', 'network', 'everything'] as const
type Access = (typeof accessOrder)[number]

type Grant = { risk: Risk; mode: Mode } & (
  | { kind: 'command'; command: string; cwd: string; access: Access; details: string }
  | { kind: 'prefix'; words: string[]; cwd: string; access: Access }
  | { kind: 'call'; tool: string; key: string }
  | { kind: 'tool'; tool: string }
  | { kind: 'scope'; tool: string; scope: string }
)

/** Grants of the session. Kept in memory only, so that no file can extend them. */
export interface Grants {
  /**
   * Grants this exact command in this folder, in the same or a stricter sandbox; for tools without a command, calls with
   * the same arguments.
   */
  grantExact(call: GrantedCall): void
  /**
   * Grants all commands with the same prefixes in the same folder, in the same or a stricter sandbox.
   * @param commands parsed commands of the line; undefined for tools without a command, for which every call is granted
   */
  grantPrefix(call: GrantedCall, commands: readonly string[][] | undefined): void
  /** Grants web requests of the same tool with the same method and origin. */
  grantScope(call: GrantedCall): void
  /**
   * Whether a grant covers a call.
   * @param commands as above; also undefined for an unparsable line, which only an exact grant covers
   * @param coverable whether a prefix grant may cover each of them; default all
   */
  cover(call: GrantedCall, commands: readonly string[][] | undefined, coverable?: readonly boolean[]): boolean
  /** Returns a granted command that executes a file when it runs; undefined if none does. */
  executing(file: string): string | undefined
  /** Removes the grants of a tool without commands. */
  forget(tool: string): void
  clear(): void
}

export function createGrants(): Grants {
  let grants: Grant[] = []

  /** Whether a grant applies at the call's risk and mode. Paranoid mode accepts only its own grants. */
  function applies(grant: Grant, call: GrantedCall): boolean {
    return isRiskCovered(grant.risk, call.risk) && (call.mode !== 'paranoid' || grant.mode === 'paranoid')
  }

  return {
    grantExact(call) {
      const { risk, mode } = call
      if (call.command === undefined) grants.push({ kind: 'call', risk, mode, tool: call.tool, key: callKey(call) })
      else
        grants.push({
          kind: 'command',
          risk,
          mode,
          command: call.command,
          cwd: call.cwd ?? '',
          access: accessOf(call),
          details: call.report?.details ?? '',
        })
    },
    grantPrefix(call, commands) {
      const { risk, mode } = call
      if (commands === undefined) {
        grants.push({ kind: 'tool', risk, mode, tool: call.tool })
        return
      }
      for (const words of proposePrefixes(commands) ?? [])
        grants.push({ kind: 'prefix', risk, mode, words, cwd: call.cwd ?? '', access: accessOf(call) })
    },
    grantScope({ risk, mode, tool, scope }) {
      if (scope !== undefined) grants.push({ kind: 'scope', risk, mode, tool, scope })
    },
    cover(call, commands, coverable) {
      const held = grants.filter((grant) => applies(grant, call))
      if (call.command === undefined) {
        const key = callKey(call)
        return held.some((grant) => {
          if (grant.kind === 'tool') return grant.tool === call.tool
          if (grant.kind === 'scope') return grant.tool === call.tool && grant.scope === call.scope
          return grant.kind === 'call' && grant.key === key
        })
      }
      const access = accessOf(call)
      const here = held.filter(
        (grant) => 'cwd' in grant && grant.cwd === (call.cwd ?? '') && isAccessCovered(grant.access, access),
      )
      // An exact grant applies even if the line cannot be parsed.
      const details = call.report?.details ?? ''
      if (here.some((grant) => grant.kind === 'command' && grant.command === call.command && grant.details === details))
        return true
      if (commands === undefined || commands.length === 0) return false
      if (call.isCode === true || call.report?.unclear !== undefined) return false
      return commands.every(
        (words, index) =>
          coverable?.[index] !== false &&
          here.some((grant) => grant.kind === 'prefix' && isCoveredByPrefix(words, grant.words)),
      )
    },
    executing(file) {
      for (const grant of grants) {
        if (grant.kind !== 'command' && grant.kind !== 'prefix') continue
        // An exact grant can be for a line that cannot be parsed, so its words are only a guess.
        const lines = grant.kind === 'prefix' ? [grant.words] : wordsOf(grant.command)
        if (lines.some((words) => isExecutedBy(words, file)))
          return grant.kind === 'prefix' ? grant.words.join(' ') : grant.command
      }
      return undefined
    },
    forget(tool) {
      grants = grants.filter((grant) => !('tool' in grant) || grant.tool !== tool)
    },
    clear() {
      grants = []
    },
  }
}

/**
 * Proposes a prefix for each different command of a line. Undefined if a command has none, because the line would need
 * approval again.
 */
export function proposePrefixes(commands: readonly string[][]): string[][] | undefined {
  const prefixes = new Map<string, string[]>()
  for (const words of commands) {
    const prefix = proposePrefix(words)
    if (prefix === undefined || !isCoveredByPrefix(words, prefix)) return undefined
    prefixes.set(JSON.stringify(prefix), prefix)
  }
  return [...prefixes.values()]
}

function accessOf({ sandbox }: GrantedCall): Access {
  if (sandbox?.sandboxed !== true) return 'everything'
  return sandbox.network ? 'network' : 'noNetwork'
}

function isAccessCovered(granted: Access, access: Access): boolean {
  return accessOrder.indexOf(access) <= accessOrder.indexOf(granted)
}

function wordsOf(command: string): string[][] {
  return command.split(/[;&|\n]+/).map((line) => line.split(/[\s()<>'"]+/).filter((word) => word !== ''))
}

/**
 * Identifies a call by its tool, its arguments in any order, the report of an external agent, and the files that it
 * changes: a link can lead elsewhere later, and another file can be active in the editor.
 */
function callKey({ tool, arguments: values, writes, report }: GrantedCall): string {
  return JSON.stringify([tool, sorted(values), report?.details, writes])
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  // Tagged, so that a list of pairs differs from an object.
  return {
    object: Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  }
}

/*
 * Files that a command executes although its line does not name them. Writing one of them needs approval while a grant
 * covers such a command.
 */

/** Programs and the files that they execute. `*` stands for any characters. */
const rows: readonly (readonly [programs: string, files: string])[] = [
  [
    'npm npx pnpm yarn bun bunx node deno corepack vitest jest playwright eslint oxlint prettier tsc vite webpack rollup turbo nx',
    'package.json deno.json deno.jsonc *.config.js *.config.mjs *.config.cjs *.config.ts *.config.mts *.config.cts .babelrc ' +
      '.babelrc.* .eslintrc .eslintrc.* .mocharc.* .prettierrc .prettierrc.* .swcrc gulpfile.* gruntfile.* turbo.json nx.json ' +
      'project.json',
  ],
  ['make gmake', 'makefile gnumakefile *.mk'],
  ['just', 'justfile .justfile *.just'],
  ['task', 'taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml'],
  ['cargo', 'cargo.toml build.rs'],
  ['go', 'go.mod go.work'],
  [
    'python python3 pytest uv poetry tox nox pip pip3 mypy ruff black hatch pdm',
    'conftest.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py pytest.ini mypy.ini tasks.py',
  ],
  [
    'cmake ctest ninja make meson',
    'cmakelists.txt *.cmake cmakepresets.json build.ninja meson.build configure configure.ac',
  ],
  ['gradle gradlew', '*.gradle *.gradle.kts gradle.properties'],
  ['mvn mvnw', 'pom.xml'],
  ['dotnet msbuild', '*.csproj *.fsproj *.vbproj *.props *.targets *.sln global.json'],
  ['swift', 'package.swift'],
  ['mix', 'mix.exs'],
  ['rake bundle rspec ruby gem', 'rakefile *.rake gemfile *.gemspec spec_helper.rb'],
  ['composer php phpunit', 'composer.json phpunit.xml phpunit.xml.dist'],
  [
    'docker podman',
    'dockerfile dockerfile.* containerfile compose.yml compose.yaml docker-compose.yml docker-compose.yaml',
  ],
  ['bazel bazelisk', 'build build.bazel workspace module.bazel *.bzl'],
]

const filesByProgram = new Map<string, RegExp[]>()
for (const [programs, files] of rows) {
  const tests = files.split(' ').map(nameTest)
  for (const program of programs.split(' '))
    filesByProgram.set(program, [...(filesByProgram.get(program) ?? []), ...tests])
}

function nameTest(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((text) => text.replaceAll('.', '\\.'))
      .join('.*')}$`,
  )
}

/**
 * Whether running a command executes a file: its program reads files of this name, or it is a script that the command
 * starts. Sources and tests do not count, because a test command executes most of them.
 * @param words words of a command, exact or approximate
 * @param file relative to the workspace
 */
function isExecutedBy(words: readonly string[], file: string): boolean {
  const name = lastName(file)
  const script = shells.has(lastName(words[0] ?? '')) ? words.slice(1) : words.slice(0, 1)
  return (
    script.some((word) => lastName(word) === name) ||
    words.some((word) =>
      filesByProgram.get(lastName(word).replace(/\.(?:exe|cmd|bat)$/, ''))?.some((test) => test.test(name)),
    )
  )
}

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'source', '.', 'env', 'time', 'nohup'])

const lastName = (file: string): string => file.slice(file.lastIndexOf('/') + 1).toLowerCase()
