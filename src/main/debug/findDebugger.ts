import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import { findProgramByName } from '../base/programSearch.ts'
import { folderPaths, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { findPythons, isFile, probeProgram } from '../base/pythonSearch.ts'
import type { DebuggerDefinition, FoundDebugger } from './debuggerDefinition.ts'

export interface FindDebuggerDeps {
  workspace: WorkspaceRoots
  searchPath: string
  home: string
  /** Path of a script from the user's settings; '' if there is none. */
  scriptPath(setting: 'jsDebugPath'): string
  /** Node that runs scripts in the sandbox. */
  node(): string | undefined
  startProgram: StartPipedProgram
}

const jsDebugFix =
  'Download js-debug-dap-*.tar.gz from https://github.com/microsoft/vscode-js-debug/releases, unpack it, and set the path of its dapDebugServer.js in the settings, under Debugger.'

/** Why a debugger cannot be used. `isInstalled`: its program is there, so that installing it again does not help. */
export interface MissingDebugger {
  missing: string
  isInstalled?: true
  /** What to do if no command installs it. */
  fix?: string
}

/** Finds the program of a debugger; the reason if there is none. */
export async function findDebugger(
  { program, title }: Pick<DebuggerDefinition, 'program' | 'title'>,
  deps: FindDebuggerDeps,
): Promise<FoundDebugger | MissingDebugger> {
  switch (program.kind) {
    case 'path': {
      // Programs of the Go tools are often not on PATH.
      const searchPath = [deps.searchPath, path.join(deps.home, 'go/bin')].join(path.delimiter)
      const found = program.names.map((name) => findProgramByName(name, searchPath)).find((file) => file !== undefined)
      if (found === undefined) return { missing: `${program.names[0]} is not on PATH.` }
      const { check } = program
      return check === undefined || (await probe(found, check.args, deps)).code === 0
        ? { program: found, args: [] }
        : { missing: `${found} cannot be used. ${check.failure}`, isInstalled: true, fix: check.fix }
    }
    case 'script': {
      const file = deps.scriptPath(program.setting)
      if (file === '') return { missing: 'The setting "js-debug path" is empty.', fix: jsDebugFix }
      if (!(await isFile(file))) return { missing: `${file} does not exist.`, fix: jsDebugFix }
      const node = deps.node()
      return node === undefined
        ? { missing: 'Node.js is not on PATH.' }
        : { program: node, args: [await realpath(file)], folder: path.dirname(await realpath(file)) }
    }
    case 'pythonModule':
      return findPython(program.module, title, deps)
  }
}

async function findPython(
  module: string,
  title: string,
  deps: FindDebuggerDeps,
): Promise<FoundDebugger | { missing: string }> {
  const candidates = await findPythons(folderPaths(deps.workspace), deps.searchPath)
  for (const python of candidates) {
    const version = await moduleVersion(python, module, deps)
    if (version !== undefined) return { program: python, args: [], version }
  }
  if (candidates.length === 0) return { missing: 'Python is not on PATH.' }
  return { missing: `No Python of this folder or on PATH has ${title}.` }
}

async function moduleVersion(python: string, module: string, deps: FindDebuggerDeps): Promise<string | undefined> {
  const { code, text } = await probe(python, ['-c', `import ${module}; print(${module}.__version__)`], deps)
  return code === 0 && text !== '' ? text : undefined
}

/** Runs a program to its end. In the sandbox, because a program in the folder can be hostile. */
async function probe(
  file: string,
  args: readonly string[],
  { workspace, startProgram }: FindDebuggerDeps,
): Promise<{ code: number | null; text: string }> {
  const request = { program: file, args, cwd: folderPaths(workspace)[0] ?? workspace.root, access: 'sandbox' } as const
  return probeProgram(await startProgram(request, new AbortController().signal))
}
