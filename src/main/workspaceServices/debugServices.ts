import { homedir } from 'node:os'
import { join } from 'node:path'
import { nodeProgram } from '../base/nodeProgram.ts'
import { searchPathOf } from '../base/programSearch.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { breakpointFileSchema } from '../debug/breakpointStore.ts'
import { createDebugSessions, type DebugSessions } from '../debug/debugSessions.ts'
import { createDebugTargets, type DebugTargets } from '../debug/debugTargets.ts'
import { openJsonFile } from '../settings/jsonFile.ts'
import type { Workspace } from '../workspace/containment.ts'
import { createLaunchTasks } from './launchTasks.ts'
import { readConfiguration } from './restrictedFolderSettings.ts'
import type { VariableValues } from '../base/configurationVariables.ts'
import type { SessionDeps } from './workspaceSession.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

interface DebugServicesDeps {
  workspace: Workspace
  jobs: Jobs
  trust: WorkspaceTrust
  isSecret(path: string): boolean
  variables: VariableValues
}

/** Creates the debugger of the folder. */
export function createDebugServices(
  { workspace, jobs, trust, isSecret, variables }: DebugServicesDeps,
  { userData, emit, debugSettings }: Pick<SessionDeps, 'userData' | 'emit' | 'debugSettings'>,
): { sessions: DebugSessions; targets: DebugTargets } {
  const onNotice = (message: string) => emit('notice', { level: 'warning', message })
  const sessions = createDebugSessions({
    root: workspace.root,
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
    onState: (state) => emit('debug.changed', state),
    onOutput: (output) => emit('debug.output', output),
    onTerminal: (jobId) => emit('debug.terminal', { jobId }),
    onNotice,
  })
  const targets = createDebugTargets({
    root: workspace.root,
    readText: (path) => readConfiguration(workspace, path),
    resolveFolder: async (folder) => (await workspace.resolve(folder)).absolute,
    isSecret: async (file) => isSecret((await workspace.resolve(file, { missing: 'allow' })).relative),
    variables,
    tasks: createLaunchTasks(workspace, jobs),
    startProgram: jobs.startProgram,
  })
  return { sessions, targets }
}
