import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Breakpoints } from '../../shared/debug/debug.ts'
import { movedPath } from '../../shared/files/workspaceFolders.ts'
import { nodeProgram } from '../base/nodeProgram.ts'
import { searchPathOf } from '../base/programSearch.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { breakpointFileSchema } from '../debug/breakpointStore.ts'
import { createDebugSessions, type DebugSessions } from '../debug/debugSessions.ts'
import { createDebugTargets, type DebugTargets } from '../debug/debugTargets.ts'
import { createFolderTargets } from '../debug/folderTargets.ts'
import { absoluteIn, pathInFolder } from '../base/workspaceRoots.ts'
import { openJsonFile } from '../settings/jsonFile.ts'
import type { Workspace } from '../workspace/containment.ts'
import { createLaunchTasks } from './launchTasks.ts'
import { readConfiguration } from './restrictedFolderSettings.ts'
import type { FolderVariables } from '../base/configurationVariables.ts'
import type { SessionDeps } from './workspaceSession.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

interface DebugServicesDeps {
  workspace: Workspace
  jobs: Jobs
  trust: WorkspaceTrust
  isSecret(path: string): boolean
  variables: FolderVariables
}

/** Returns the breakpoints that the folders of a workspace, or one that was saved as it, had before. */
function carriedBreakpoints(
  { root, multiRoot }: Workspace,
  breakpointsOf: (workspace: string) => Breakpoints | undefined,
): Breakpoints | undefined {
  if (!multiRoot) return undefined
  const found = multiRoot.earlier.flatMap((from) => {
    const breakpoints = breakpointsOf(from.root)
    if (!breakpoints) return []
    const lines = breakpoints.lines.flatMap((line) => {
      const path = isAbsolute(line.path) ? line.path : movedPath(from, { root, multiRoot }, line.path)
      return path === null ? [] : [{ ...line, path }]
    })
    return [{ ...breakpoints, lines }]
  })
  const lines = found.flatMap((each) => each.lines)
  return {
    lines: [...new Map(lines.map((each) => [`${each.path}:${each.line}`, each])).values()],
    functions: found.flatMap(({ functions }) => functions),
    exceptions: Object.assign({}, ...found.map(({ exceptions }) => exceptions)),
  }
}

/** Creates the debugger of the folder. */
export function createDebugServices(
  { workspace, jobs, trust, isSecret, variables }: DebugServicesDeps,
  { userData, emit, debugSettings }: Pick<SessionDeps, 'userData' | 'emit' | 'debugSettings'>,
): { sessions: DebugSessions; targets: DebugTargets } {
  const onNotice = (message: string) => emit('notice', { level: 'warning', message })
  const sessions = createDebugSessions({
    workspace,
    searchPath: searchPathOf(process.env),
    home: homedir(),
    scriptPath: (setting) => debugSettings()[setting],
    node: nodeProgram,
    startProgram: jobs.startProgram,
    startInTerminal: jobs.startInTerminal,
    isTrusted: trust.isTrusted,
    breakpoints: openJsonFile(join(userData, 'breakpoints.json'), breakpointFileSchema, [], onNotice, {
      replaceable: true,
    }),
    carriedBreakpoints: (breakpointsOf) => carriedBreakpoints(workspace, breakpointsOf),
    onState: (state) => emit('debug.changed', state),
    onOutput: (output) => emit('debug.output', output),
    onTerminal: (jobId) => emit('debug.terminal', { jobId }),
    onNotice,
  })
  const targetsOf = (folder: string): DebugTargets =>
    createDebugTargets({
      root: absoluteIn(workspace, folder),
      readText: (path) => readConfiguration(workspace, pathInFolder(folder, path)),
      resolveFolder: async (named) => (await workspace.resolve(pathInFolder(folder, named))).absolute,
      isSecret: async (file) =>
        isSecret((await workspace.resolve(pathInFolder(folder, file), { missing: 'allow' })).relative),
      variables: (inputs) => variables(inputs, folder),
      tasks: createLaunchTasks(workspace, folder, jobs),
      startProgram: jobs.startProgram,
    })
  const targets = workspace.folders
    ? createFolderTargets(workspace.folders.map(({ name }) => ({ folder: name, targets: targetsOf(name) })))
    : targetsOf('.')
  return { sessions, targets }
}
