import { readdir } from 'node:fs/promises'
import { absoluteIn, pathInFolder } from '../base/workspaceRoots.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { LaunchTasks } from '../debug/launchStart.ts'
import { tasksFilePath } from '../tasks/editorTasks.ts'
import { packageManager } from '../tasks/projectFile.ts'
import { runTask } from '../tasks/runTask.ts'
import { commandsOfPlan, inputsOfTask, planTask, type TaskSources } from '../tasks/taskPlan.ts'
import type { Workspace } from '../workspace/containment.ts'
import { readConfiguration } from './restrictedFolderSettings.ts'

/**
 * Runs tasks of a folder before and after debugging, as commands that the terminal panel shows.
 * @param folder name of a folder of the workspace, `.` for a single one
 */
export function createLaunchTasks(
  workspace: Workspace,
  folder: string,
  jobs: Pick<Jobs, 'run' | 'readOutput' | 'stop' | 'list'>,
): LaunchTasks {
  const root = absoluteIn(workspace, folder)
  /** Jobs of background tasks, by command line. */
  const background = new Map<string, string>()

  async function read(): Promise<TaskSources> {
    const [tasks, packageJson, entries] = await Promise.all([
      readConfiguration(workspace, pathInFolder(folder, tasksFilePath)),
      readConfiguration(workspace, pathInFolder(folder, 'package.json')),
      readdir(root),
    ])
    return { tasks: tasks ?? '', packageJson: packageJson ?? '', manager: packageManager(entries) }
  }

  return {
    inputs: async (name) => inputsOfTask(name, await read()),
    async plan(name, variables) {
      const plan = planTask(name, await read(), variables)
      return {
        commands: commandsOfPlan(plan),
        run: (signal) => runTask(plan, { jobs, root, background }, signal),
      }
    },
  }
}
