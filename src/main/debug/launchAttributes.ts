import path from 'node:path'
import type { Configuration, ProjectFacts } from './debuggerDefinition.ts'

// Attributes of launch.json, and their conversion to those of the adapters.

export const workspaceFile = (file: string): string => `\${workspaceFolder}/${file}`
export const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(text) : value === undefined ? [] : [text(value)]

/** Whether a configuration asks for a terminal, as debuggers of VS Code name it. */
export const wantsTerminal = ({ type, console, terminal, externalConsole, runInTerminal }: Configuration): boolean =>
  !text(type).endsWith('chrome') &&
  (type === 'node-terminal' ||
    [console, terminal].some((each) => /^(?:integrated|external)/.test(text(each))) ||
    externalConsole === true ||
    runInTerminal === true)

/** Returns an object without the attributes of Tizona and VS Code that no adapter knows. */
export function withoutOwn({
  type: _type,
  request: _request,
  name: _name,
  preLaunchTask: _before,
  postDebugTask: _after,
  presentation: _presentation,
  console: _console,
  terminal: _terminal,
  externalConsole: _external,
  runInTerminal: _run,
  ...rest
}: Configuration): Record<string, unknown> {
  return rest
}

/** Whether a test needs no pytest, which is often not installed then. */
export const usesUnittest = (source: string, pytestFiles: string): boolean =>
  /^[ \t]*(?:import|from) unittest\b/m.test(source) && !/\bpytest\b/.test(source + pytestFiles)

/** Converts attributes of the C/C++ extension and of CodeLLDB to those of lldb-dap. */
export function nativeArguments(configuration: Configuration): object {
  const { environment, stopAtEntry, MIMode: _mode, cargo: _cargo, env, ...rest } = withoutOwn(configuration)
  const pairs = Array.isArray(environment)
    ? environment.flatMap((each: { name?: unknown; value?: unknown } | null) =>
        typeof each?.name === 'string' && typeof each.value === 'string' ? [`${each.name}=${each.value}`] : [],
      )
    : []
  const variables =
    typeof env === 'object' && env !== null
      ? Object.entries(env).map(([name, value]) => `${name}=${String(value)}`)
      : []
  return {
    ...rest,
    // lldb-vscode 14 only knows a list. Newer versions accept both.
    ...(pairs.length + variables.length > 0 && { env: [...variables, ...pairs] }),
    ...(stopAtEntry !== undefined && { stopOnEntry: stopAtEntry }),
  }
}

/** Returns the shell that runs the command line of a `node-terminal` configuration, or an interactive one. */
export function terminalShell(command: unknown): string[] {
  const [shell, ...option] = process.platform === 'win32' ? ['powershell.exe', '-Command'] : ['bash', '-c']
  return typeof command === 'string' && command.trim() !== '' ? [shell, ...option, command] : [shell]
}

export function scriptArguments(written: Configuration): object {
  const configuration = written['type'] === 'node-terminal' ? shellConfiguration(written) : written
  const name = text(configuration['type']) || 'pwa-node'
  const type = name.startsWith('pwa-') ? name : `pwa-${name}`
  const request = configuration['request'] ?? 'launch'
  const common = { ...withoutOwn(configuration), type, name: configuration['name'] ?? 'Debug', request }
  if (type !== 'pwa-chrome') return { ...common, console: 'internalConsole', outputCapture: 'std' }
  if (request !== 'launch') return common
  // Tizona's sandbox has no display, and Chromium cannot create its own sandbox in it.
  return { ...common, runtimeArgs: ['--headless=new', '--no-sandbox', ...list(configuration['runtimeArgs'])] }
}

/**
 * js-debug's server has no terminals of its own: they are in its extension of VS Code. It does debug each Node.js process
 * that its program starts, and that program can be a shell.
 */
function shellConfiguration({ command, ...rest }: Configuration): Configuration {
  const [runtimeExecutable, ...runtimeArgs] = terminalShell(command)
  return { ...rest, type: 'pwa-node', runtimeExecutable, runtimeArgs }
}

/** Runs a test with the runner among the dependencies, or with Node's own. */
export function scriptTest(file: string, test: string, { packageJson }: ProjectFacts): Configuration | undefined {
  const pattern = escapePattern(test)
  const cwd = '${workspaceFolder}'
  const package_ = (name: string): string => `\${workspaceFolder}/node_modules/${name}`
  if (packageJson.includes('"vitest"'))
    return {
      cwd,
      program: package_('vitest/vitest.mjs'),
      args: ['run', file, '-t', pattern, '--no-file-parallelism', '--test-timeout=0'],
    }
  if (packageJson.includes('"jest"'))
    return {
      cwd,
      program: package_('jest/bin/jest.js'),
      args: ['--runInBand', '--testTimeout=100000000', file, '-t', pattern],
    }
  if (packageJson.includes('"mocha"'))
    return { cwd, program: package_('mocha/bin/mocha.js'), args: ['--timeout=0', file, '-g', pattern] }
  if (/\.test\.|\.spec\.|node --test/.test(`${file} ${packageJson}`))
    return { cwd, program: workspaceFile(file), runtimeArgs: [`--test-name-pattern=${pattern}`] }
  return undefined
}

/** Folder of the package that a source file belongs to, by Cargo's layout. */
const packageOf = (file: string): string => /^(.*?)\/?(?:src|tests|examples|benches)\//.exec(`/${file}`)?.[1] ?? ''

const inFolder = (file: string): { cwd: string } => ({ cwd: `\${workspaceFolder}${packageOf(file)}` })

/** Builds and debugs the program of a Rust file. */
export function rustFile(file: string): Configuration {
  const name = path.posix.basename(file, '.rs')
  const folder = path.posix.basename(path.posix.dirname(file))
  const target = folder === 'bin' ? [`--bin=${name}`] : folder === 'examples' ? [`--example=${name}`] : []
  return { ...inFolder(file), cargo: { args: ['build', ...target] } }
}

/** Builds the tests of a Rust file's package, and debugs those with the name. */
export function rustTest(file: string, test: string): Configuration {
  const name = path.posix.basename(file, '.rs')
  const folder = path.posix.basename(path.posix.dirname(file))
  const target = folder === 'tests' ? [`--test=${name}`] : folder === 'bin' ? [`--bin=${name}`] : []
  return { ...inFolder(file), cargo: { args: ['test', '--no-run', ...target] }, args: [test] }
}
