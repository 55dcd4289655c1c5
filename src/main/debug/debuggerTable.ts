import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { AdapterTransport } from './adapterProcess.ts'
import { rustFile, rustTest } from './cargoConfiguration.ts'
import type { Configuration } from './configuration.ts'
import { openNodeInspector } from './nodeInspector.ts'

/** How the program of a debugger is found. */
export type DebuggerProgram =
  /**
   * The first of these names on PATH. `check`: arguments with which it ends successfully if it can be used, and otherwise
   * why not.
   */
  | { kind: 'path'; names: readonly string[]; check?: { args: readonly string[]; failure: string } }
  /** The first Python of the folder or on PATH that has the module. */
  | { kind: 'pythonModule'; module: string }
  /** A JavaScript file that the user's settings name. It runs with Node. */
  | { kind: 'script'; setting: 'jsDebugPath' }

/** What was found on this machine. */
export interface FoundDebugger {
  /** Absolute path of the program. */
  program: string
  /** Arguments before those of the adapter, e.g. the script. */
  args: readonly string[]
  /** Its folder, if the sandbox does not show it otherwise. */
  folder?: string
  version?: string
}

/** What decides how a file or test is started. */
export interface ProjectFacts {
  /** Text of `package.json` in the root; '' without one. */
  packageJson: string
  /** Text of the test's file. */
  source: string
  /** Text of the files in the root that configure pytest; '' without one. */
  pytestFiles: string
}

/** A running program: a process of this machine, or the port at which a debugger of the program listens. */
export type AttachPlace = { processId: number } | { port: number }

export interface AttachMethod {
  attributes: Configuration
  /** What listens at the port speaks the protocol itself, so no debugger is started. */
  connects?: true
  /** Prepares the program. @returns further attributes. @throws ToolError */
  prepare?(signal: AbortSignal): Promise<Configuration>
}

/** A debugger that Tizona can run. Tests execute the recipe for another one (CONTRIBUTING.md). */
export interface DebuggerDefinition {
  id: string
  title: string
  /** Names of its languages, for the user. */
  languages: readonly string[]
  /** Types in launch.json. The first one is that of the debugger itself. */
  types: readonly string[]
  program: DebuggerProgram
  /** Command that installs it, run in a terminal when the user asks for it. */
  installCommand: string
  transport: AdapterTransport
  /** @param socket path of the socket; '' with standard streams */
  args(socket: string): readonly string[]
  /** Converts the attributes of launch.json to those of the adapter. */
  adapterArguments(configuration: Configuration, found: FoundDebugger): object
  /** Further arguments that run the program in a terminal. Undefined: it cannot do that. */
  inTerminal?: object
  /** Command that would run the same program, as the approval rules see it. */
  command(configuration: Configuration): readonly string[]
  /** Attributes of its own in launch.json, as JSON schemas by name, for completion in the editor. */
  attributes?: Readonly<Record<string, object>>
  /** How it attaches to a running program. Undefined: the debugger cannot attach in this way. */
  attach(place: AttachPlace): AttachMethod | undefined
  /** Files that "Debug this file" can start. */
  files?: RegExp
  fileConfiguration?(file: string): Configuration
  /** @returns undefined if the project has no runner for it */
  testConfiguration?(file: string, test: string, project: ProjectFacts): Configuration | undefined
}

const workspaceFile = (file: string): string => `\${workspaceFolder}/${file}`
const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const loopback = '127.0.0.1'
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(text) : value === undefined ? [] : [text(value)]
const nativeCommand = ({ program, cargo, args }: Configuration): string[] => [
  ...(cargo === undefined ? [text(program)] : ['cargo', 'run']),
  ...list(args),
]

/** Whether a configuration asks for a terminal, as debuggers of VS Code name it. */
export const wantsTerminal = ({ type, console, terminal, externalConsole, runInTerminal }: Configuration): boolean =>
  !text(type).endsWith('chrome') &&
  ([console, terminal].some((each) => /^(?:integrated|external)/.test(text(each))) ||
    externalConsole === true ||
    runInTerminal === true)

/** Returns an object without the attributes of Tizona and VS Code that no adapter knows. */
function withoutOwn({
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
const usesUnittest = (source: string, pytestFiles: string): boolean =>
  /^[ \t]*(?:import|from) unittest\b/m.test(source) && !/\bpytest\b/.test(source + pytestFiles)

const consoleAttribute = {
  enum: ['internalConsole', 'integratedTerminal', 'externalTerminal'],
  description:
    'Where the program runs. In a terminal, which is always one of the window, it has input. Default: internalConsole.',
}

export const debuggerTable: readonly DebuggerDefinition[] = [
  {
    id: 'python',
    title: 'debugpy',
    languages: ['Python'],
    types: ['debugpy', 'python'],
    program: { kind: 'pythonModule', module: 'debugpy' },
    installCommand: 'python3 -m pip install debugpy',
    attributes: {
      module: { type: 'string', description: 'Module to run instead of a program, as with python -m.' },
      console: consoleAttribute,
      justMyCode: { type: 'boolean', description: 'Whether to skip library code. Default: true.' },
      python: { type: 'string', description: 'Path of the Python interpreter.' },
      django: { type: 'boolean', description: 'Whether to debug Django templates.' },
      jinja: { type: 'boolean', description: 'Whether to debug Jinja templates.' },
    },
    transport: 'stdio',
    args: () => ['-m', 'debugpy.adapter'],
    adapterArguments: (configuration, found) => ({
      python: [found.program],
      ...withoutOwn(configuration),
      console: 'internalConsole',
      redirectOutput: true,
      // Child processes are debugged over TCP, which does not leave the sandbox.
      subProcess: false,
    }),
    inTerminal: { console: 'integratedTerminal', redirectOutput: false },
    attach: (place) => ('port' in place ? { attributes: {}, connects: true } : { attributes: place }),
    command: ({ program, module, args }) => [
      'python3',
      ...(typeof module === 'string' ? ['-m', module] : [text(program)]),
      ...list(args),
    ],
    files: /\.py$/,
    fileConfiguration: (file) => ({ program: workspaceFile(file) }),
    testConfiguration: (file, test, { source, pytestFiles }) =>
      usesUnittest(source, pytestFiles)
        ? { module: 'unittest', args: [file, '-k', test.replaceAll('::', '.')] }
        : { module: 'pytest', args: ['-p', 'no:cacheprovider', `${file}::${test}`] },
  },
  {
    id: 'go',
    title: 'Delve',
    languages: ['Go'],
    types: ['go'],
    program: { kind: 'path', names: ['dlv'] },
    installCommand: 'go install github.com/go-delve/delve/cmd/dlv@latest',
    attributes: {
      mode: {
        enum: ['auto', 'debug', 'test', 'exec', 'core', 'replay', 'local', 'remote'],
        description: 'What program is: sources, tests or an executable. Default: auto.',
      },
      buildFlags: { type: ['string', 'array'], description: 'Flags for go build.' },
      stackTraceDepth: { type: 'integer', description: 'Maximum number of stack frames. Default: 50.' },
    },
    transport: 'connectsToSocket',
    args: (socket) => ['dap', `--client-addr=unix:${socket}`],
    adapterArguments: (configuration) => {
      const { mode = 'auto', program = '.', ...rest } = withoutOwn(configuration)
      const isTest = typeof program === 'string' && program.endsWith('_test.go')
      return {
        ...rest,
        program,
        mode: mode === 'auto' ? (isTest ? 'test' : 'debug') : mode,
        // Otherwise the output of the program goes to the terminal of Delve.
        outputMode: 'remote',
      }
    },
    attach: (place) =>
      'port' in place
        ? { attributes: { mode: 'remote' }, connects: true }
        : { attributes: { mode: 'local', ...place } },
    command: ({ mode, program, args }) => ['go', mode === 'test' ? 'test' : 'run', text(program), ...list(args)],
    files: /\.go$/,
    fileConfiguration: (file) => ({ mode: 'auto', program: workspaceFile(path.posix.dirname(file)) }),
    testConfiguration: (file, test) => ({
      mode: 'test',
      program: workspaceFile(path.posix.dirname(file)),
      args: ['-test.run', `^${escapePattern(test)}$`],
    }),
  },
  {
    id: 'lldb',
    title: 'LLDB',
    languages: ['C', 'C++', 'Rust'],
    types: ['lldb-dap', 'lldb', 'cppdbg', 'lldb-vscode'],
    program: {
      kind: 'path',
      names: [
        'lldb-dap',
        ...[22, 21, 20, 19, 18].map((version) => `lldb-dap-${version}`),
        'lldb-vscode',
        'lldb-vscode-14',
      ],
    },
    installCommand: 'sudo apt-get install lldb',
    attributes: {
      cargo: {
        type: 'object',
        required: ['args'],
        description: 'Builds the program with Cargo and debugs it.',
        properties: {
          args: {
            type: 'array',
            items: { type: 'string' },
            description: 'Arguments for Cargo, such as ["test", "--no-run", "--lib"].',
          },
          filter: {
            type: 'object',
            description: 'Selects a program if Cargo builds several.',
            properties: { name: { type: 'string' }, kind: { type: ['string', 'array'] } },
          },
        },
      },
      environment: { type: 'array', description: 'Environment variables as objects {"name": …, "value": …}.' },
      runInTerminal: { type: 'boolean', description: 'Whether the program runs in a terminal, where it has input.' },
      stopAtEntry: { type: 'boolean', description: 'Whether to stop at the start of main.' },
      initCommands: {
        type: 'array',
        items: { type: 'string' },
        description: 'LLDB commands to run before the program starts.',
      },
      sourceMap: { type: ['array', 'object'], description: 'Maps source folders to other folders.' },
      pid: { type: 'integer', description: 'Process to attach to.' },
    },
    transport: 'stdio',
    args: () => [],
    adapterArguments: nativeArguments,
    inTerminal: { runInTerminal: true },
    attach: (place) =>
      'port' in place
        ? { attributes: { attachCommands: [`gdb-remote ${place.port}`] } }
        : { attributes: { pid: place.processId } },
    command: nativeCommand,
    files: /\.rs$/,
    fileConfiguration: rustFile,
    testConfiguration: rustTest,
  },
  {
    id: 'gdb',
    title: 'GDB',
    languages: ['C', 'C++', 'Rust'],
    types: ['gdb'],
    program: {
      kind: 'path',
      names: ['gdb'],
      check: {
        args: ['--interpreter=dap', '-batch'],
        failure: 'it is older than version 14, or was built without Python',
      },
    },
    installCommand: 'sudo apt-get install gdb',
    transport: 'stdio',
    args: () => ['--interpreter=dap', '--quiet'],
    adapterArguments: (configuration) => withoutOwn(configuration),
    attach: (place) =>
      'port' in place
        ? { attributes: { target: `${loopback}:${place.port}` } }
        : { attributes: { pid: place.processId } },
    command: nativeCommand,
  },
  {
    id: 'javascript',
    title: 'js-debug',
    languages: ['JavaScript', 'TypeScript'],
    types: ['pwa-node', 'node', 'pwa-chrome', 'chrome'],
    program: { kind: 'script', setting: 'jsDebugPath' },
    installCommand: '',
    attributes: {
      console: consoleAttribute,
      runtimeExecutable: { type: ['string', 'null'], description: 'Runtime that runs the script. Default: node.' },
      runtimeArgs: { type: 'array', items: { type: 'string' }, description: 'Arguments for the runtime.' },
      skipFiles: { type: 'array', items: { type: 'string' }, description: 'Globs of files to skip when stepping.' },
      sourceMaps: { type: 'boolean', description: 'Whether to use source maps. Default: true.' },
      outFiles: { type: 'array', items: { type: 'string' }, description: 'Globs of generated JavaScript files.' },
      file: { type: 'string', description: 'HTML file to open in the browser.' },
      url: { type: 'string', description: 'URL to open in the browser. The sandbox has no network.' },
      webRoot: { type: 'string', description: 'Folder that the web server serves.' },
      port: { type: 'integer', description: 'Port to attach to.' },
    },
    transport: 'listensOnSocket',
    args: (socket) => [socket],
    adapterArguments: scriptArguments,
    inTerminal: { console: 'integratedTerminal', outputCapture: 'console' },
    attach: (place) =>
      'port' in place
        ? { attributes: { address: loopback, port: place.port } }
        : {
            attributes: { address: loopback },
            prepare: async (signal) => ({ port: await openNodeInspector(place.processId, signal) }),
          },
    command: ({ program, runtimeArgs, args, url, file }) =>
      program === undefined
        ? ['chromium', text(url ?? file)]
        : ['node', ...list(runtimeArgs), text(program), ...list(args)],
    files: /\.[cm]?[jt]s$/,
    fileConfiguration: (file) => ({ program: workspaceFile(file), cwd: '${workspaceFolder}' }),
    testConfiguration: scriptTest,
  },
]

/** Converts attributes of the C/C++ extension and of CodeLLDB to those of lldb-dap. */
function nativeArguments(configuration: Configuration): object {
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

function scriptArguments(configuration: Configuration): object {
  const { type: written } = configuration
  const name = typeof written === 'string' ? written : 'pwa-node'
  const type = name.startsWith('pwa-') ? name : `pwa-${name}`
  const request = configuration['request'] ?? 'launch'
  const common = { ...withoutOwn(configuration), type, name: configuration['name'] ?? 'Debug', request }
  if (type !== 'pwa-chrome') return { ...common, console: 'internalConsole', outputCapture: 'std' }
  if (request !== 'launch') return common
  // Tizona's sandbox has no display, and Chromium cannot create its own sandbox in it.
  return { ...common, runtimeArgs: ['--headless=new', '--no-sandbox', ...list(configuration['runtimeArgs'])] }
}

/** Runs a test with the runner among the dependencies, or with Node's own. */
function scriptTest(file: string, test: string, { packageJson }: ProjectFacts): Configuration | undefined {
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

/** Finds the debugger of a type in launch.json. */
export const debuggerOfType = (type: string): DebuggerDefinition | undefined =>
  debuggerTable.find(({ types }) => types.includes(type))

/**
 * Finds the debugger for a file.
 * @throws ToolError `invalid_arguments` if none is known
 */
export function debuggerOfFile(file: string): DebuggerDefinition {
  const found = debuggerTable.find(({ files }) => files?.test(file) === true)
  // A program without a known extension is taken for one that was compiled.
  const native = path.posix.extname(file) === '' ? debuggerTable.find(({ id }) => id === 'lldb') : undefined
  const definition = found ?? native
  if (definition) return definition
  throw new ToolError(
    'invalid_arguments',
    `Tizona cannot tell which debugger ${file} needs.`,
    'Add a configuration for it to .vscode/launch.json, and start that.',
  )
}
