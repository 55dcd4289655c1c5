import { readdir } from 'node:fs/promises'
import type { Jobs } from '../command/jobTypes.ts'
import type { LaunchTasks } from '../debug/launchStart.ts'
import { tasksFilePath } from '../tasks/editorTasks.ts'
import { packageManager } from '../tasks/projectFile.ts'
import { runTask } from '../tasks/runTask.ts'
import { commandsOfPlan, inputsOfTask, planTask, type TaskSources } from '../tasks/taskPlan.ts'
import type { Workspace } from '../workspace/containment.ts'
import { readConfiguration } from './restrictedFolderSettings.ts'

/** Runs tasks of the folder before and after debugging, as commands that the terminal panel shows. */
export function createLaunchTasks(
  workspace: Workspace,
  jobs: Pick<Jobs, 'run' | 'readOutput' | 'stop' | 'list'>,
): LaunchTasks {
  /** Jobs of background tasks, by command line. */
  const background = new Map<string, string>()

  async function read(): Promise<TaskSources> {
    const [tasks, packageJson, entries] = await Promise.all([
      readConfiguration(workspace, tasksFilePath),
      readConfiguration(workspace, 'package.json'),
      readdir(workspace.root),
    ])
    return { tasks: tasks ?? '', packageJson: packageJson ?? '', manager: packageManager(entries) }
  }

  return {
    inputs: async (name) => inputsOfTask(name, await read()),
    async plan(name, variables) {
      const plan = planTask(name, await read(), variables)
      return {
        commands: commandsOfPlan(plan),
        run: (signal) => runTask(plan, { jobs, root: workspace.root, background }, signal),
      }
    },
  }
}
