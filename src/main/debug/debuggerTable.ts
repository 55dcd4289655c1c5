import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Configuration, DebuggerDefinition } from './debuggerDefinition.ts'
import {
  escapePattern,
  list,
  nativeArguments,
  rustFile,
  rustTest,
  scriptArguments,
  scriptTest,
  terminalShell,
  text,
  usesUnittest,
  withoutOwn,
  workspaceFile,
} from './launchAttributes.ts'
import { openNodeInspector } from './nodeInspector.ts'

const loopback = '127.0.0.1'
const nativeCommand = ({ program, cargo, args }: Configuration): string[] => [
  ...(cargo === undefined ? [text(program)] : ['cargo', 'run']),
  ...list(args),
]

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
      console: consoleAttribute,
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
    inTerminal: { outputMode: 'local' },
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
    installCommand: { apt: 'lldb', dnf: 'lldb', pacman: 'lldb', brew: 'llvm', winget: 'LLVM.LLVM' },
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
        failure: 'Tizona needs GDB 14 or newer that was built with Python.',
        fix: 'Install GDB 14 or newer, for example from a newer release of your system, or debug with LLDB, which needs no newer one.',
      },
    },
    installCommand: { apt: 'gdb', dnf: 'gdb', pacman: 'gdb' },
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
    types: ['pwa-node', 'node', 'node-terminal', 'pwa-chrome', 'chrome'],
    program: { kind: 'script', setting: 'jsDebugPath' },
    installCommand: '',
    attributes: {
      console: consoleAttribute,
      command: {
        type: 'string',
        description: 'Command line for node-terminal, whose Node.js processes are debugged. Default: a shell.',
      },
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
    command: ({ type, program, runtimeArgs, args, url, file, command }) => {
      if (type === 'node-terminal') return terminalShell(command)
      return program === undefined
        ? ['chromium', text(url ?? file)]
        : ['node', ...list(runtimeArgs), text(program), ...list(args)]
    },
    files: /\.[cm]?[jt]s$/,
    fileConfiguration: (file) => ({ program: workspaceFile(file), cwd: '${workspaceFolder}' }),
    testConfiguration: scriptTest,
  },
]

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
