import { homedir, totalmem } from 'node:os'
import { join } from 'node:path'
import { toFailure } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import { createJobs } from '../command/jobs.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { CommandLimits } from '../command/sandbox/cgroupLimits.ts'
import { createSandbox } from '../command/sandbox/sandbox.ts'
import { findProgram } from '../command/shellProgram.ts'
import { createProjectFormatter, type ProjectFormatter } from '../formatting/projectFormatter.ts'
import type { FolderPrograms } from '../settings/folderPrograms.ts'
import { createFilesNamed } from '../search/filesNamed.ts'
import type { Workspace } from '../workspace/containment.ts'
import { createScanThread } from './scanThread.ts'
import type { SessionDeps } from './workspaceSession.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

/** Milliseconds between opening a folder and checking the sandbox. */
const sandboxCheckDelay = 1000

interface CommandServicesDeps {
  workspace: Workspace
  trust: WorkspaceTrust
  programs: FolderPrograms
}

interface CommandServices {
  jobs: Jobs
  formatter: ProjectFormatter
  dispose(): Promise<void>
}

/** Creates the services that run programs in the folder: sandbox, jobs, and the project's formatter. */
export function createCommandServices(
  { workspace, trust, programs }: CommandServicesDeps,
  {
    commands,
    places,
    userData,
    resources,
    otherDataFolders = [],
    watch,
    emit,
  }: Pick<SessionDeps, 'commands' | 'places' | 'userData' | 'resources' | 'otherDataFolders' | 'watch' | 'emit'>,
): CommandServices {
  const sandbox = createSandbox({
    probe: commands.probe,
    workspace,
    home: homedir(),
    userData,
    hidden: otherDataFolders,
    enabled: () => commands.settings().sandbox,
    scanner: createScanThread(workspace, () => places().added),
    limits: () => commandLimits(commands.settings()),
    onChanged: (state) => emit('sandbox.changed', { state }),
  })
  // Delayed, so that it does not slow down opening the folder.
  const sandboxCheck = watch ? setTimeout(() => void sandbox.check(), sandboxCheckDelay) : undefined
  const jobs = createJobs({
    workspaceRoot: workspace.root,
    folders: workspace.folders,
    resources,
    records: join(userData, 'running-commands'),
    onProblem: (error) =>
      emit('notice', {
        level: 'warning',
        message: `The record of running commands failed: ${toFailure(error).message}`,
      }),
    onChanged: (job) => emit('job.changed', job),
    onOutput: (id, data) => emit('job.output', { id, data }),
    onForgotten: (id) => emit('job.forgotten', { id }),
    limits: () => commandLimits(commands.settings()),
    passedVariables: () => variableNames(commands.settings().environment),
    sandbox,
  })
  const formatter = createProjectFormatter({
    workspace,
    isTrusted: trust.isTrusted,
    isApproved: programs.isApproved,
    filesNamed: createFilesNamed(workspace),
    filter: jobs.filter,
    findOnPath: (program) => findProgram(program, workspace.root, commandEnvironment(process.env)),
  })
  return {
    jobs,
    formatter,
    async dispose() {
      clearTimeout(sandboxCheck)
      await jobs.dispose()
    },
  }
}

function commandLimits({ maxProcesses, maxMemoryMegabytes }: Settings['commands']): CommandLimits {
  return {
    processes: maxProcesses,
    memory: maxMemoryMegabytes === null ? Math.floor(totalmem() * 0.75) : maxMemoryMegabytes * 1024 * 1024,
  }
}

/** Splits the user's list of variable names at commas and spaces. */
export function variableNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '')
}
