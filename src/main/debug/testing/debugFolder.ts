import { homedir } from 'node:os'
import path from 'node:path'
import type { DebugOutput, DebugState } from '../../../shared/debug/debug.ts'
import type { ActiveFile } from '../../base/configurationVariables.ts'
import type { Jobs } from '../../command/jobTypes.ts'
import { sandboxedJobs } from '../../command/testing/sandboxedJobs.ts'
import { openJsonFile } from '../../settings/jsonFile.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { createLaunchTasks } from '../../workspaceServices/launchTasks.ts'
import { readConfiguration } from '../../workspaceServices/restrictedFolderSettings.ts'
import { breakpointFileSchema } from '../breakpointStore.ts'
import { createDebugSessions, type DebugDeps, type DebugSessions } from '../debugSessions.ts'
import { createDebugTargets, type DebugTargets } from '../debugTargets.ts'

/** A temporary folder with real debuggers in the real sandbox. */
export interface DebugFolder {
  root: string
  sessions: DebugSessions
  targets: DebugTargets
  jobs: Jobs
  /** The latest state sent to the window. */
  state(): DebugState
  outputs: DebugOutput[]
  notices: string[]
  text(): string
  close(): Promise<void>
}

/**
 * Opens a temporary folder with the files.
 * @param overrides e.g. another table, or the path of js-debug
 * @param active the file in front of the user
 */
export async function openDebugFolder(
  files: Readonly<Record<string, string>>,
  overrides: Partial<DebugDeps> = {},
  active: () => ActiveFile | null = () => null,
): Promise<DebugFolder> {
  const { root, remove } = await temporaryFolder({ ...files })
  const data = await temporaryFolder({})
  const jobs = await sandboxedJobs(root, { userData: data.root })
  const outputs: DebugOutput[] = []
  const notices: string[] = []
  let latest: DebugState | undefined
  const sessions = createDebugSessions({
    workspace: { root },
    searchPath: process.env['PATH'] ?? '',
    home: homedir(),
    scriptPath: () => '',
    node: () => process.execPath,
    startProgram: jobs.startProgram,
    startInTerminal: jobs.startInTerminal,
    isTrusted: () => true,
    breakpoints: openJsonFile(path.join(data.root, 'breakpoints.json'), breakpointFileSchema, [], (problem) =>
      notices.push(problem),
    ),
    onState: (state) => (latest = state),
    onOutput: (output) => outputs.push(output),
    onTerminal: () => undefined,
    onNotice: (message) => notices.push(message),
    ...overrides,
  })
  const workspace = await openWorkspace(root)
  const targets = createDebugTargets({
    root,
    readText: (file) => readConfiguration(workspace, file),
    resolveFolder: async (folder) => (await workspace.resolve(folder)).absolute,
    isSecret: async (file) => file.endsWith('.env'),
    variables: async (inputs) => ({ root, home: homedir(), environment: { LANG: 'C' }, active: active(), inputs }),
    tasks: createLaunchTasks(workspace, '.', jobs),
    startProgram: jobs.startProgram,
  })
  return {
    root,
    sessions,
    targets,
    jobs,
    state: () => latest ?? sessions.state(),
    outputs,
    notices,
    text: () => outputs.map(({ text }) => text).join(''),
    async close() {
      await sessions.dispose()
      await jobs.dispose()
      await remove()
      await data.remove()
    },
  }
}
