import { readdir } from 'node:fs/promises'
import type { Jobs } from '../command/jobTypes.ts'
import type { LaunchTasks } from '../debug/launchStart.ts'
import { tasksFilePath } from '../tasks/editorTasks.ts'
import { packageManager } from '../tasks/projectFile.ts'
import { runTask } from '../tasks/runTask.ts'
import { commandsOfPlan, inputsOfTask, planTask, type TaskPlan, type TaskSources } from '../tasks/taskPlan.ts'
import type { Workspace } from '../workspace/containment.ts'
import { readConfiguration } from './restrictedFolderSettings.ts'

/** Runs tasks of the folder before and after debugging, as commands that the terminal panel shows. */
export function createLaunchTasks(
  workspace: Workspace,
  jobs: Pick<Jobs, 'run' | 'readOutput' | 'stop' | 'list'>,
): LaunchTasks {
  const background = new Map<string, string>()
  /** Who uses the background tasks, by command line. */
  const users = new Map<string, Set<symbol>>()

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
      const commands = backgroundCommands(plan)
      const self = Symbol(name)
      let uses = 0
      return {
        commands: commandsOfPlan(plan),
        async run(signal) {
          uses += 1
          for (const command of commands) users.set(command, (users.get(command) ?? new Set()).add(self))
          await runTask(plan, { jobs, root: workspace.root, background }, signal)
        },
        share: () => void (uses += 1),
        async release() {
          uses -= 1
          if (uses > 0) return
          const unused = commands.filter(
            (command) => users.get(command)?.delete(self) && users.get(command)?.size === 0,
          )
          await Promise.all(
            unused.map(async (command) => {
              const id = background.get(command)
              background.delete(command)
              if (jobs.list().some((job) => job.id === id && job.endedAt === undefined)) await jobs.stop(id ?? '')
            }),
          )
        },
      }
    },
  }
}

/** Command lines of the background tasks of a plan. */
const backgroundCommands = ({ before, command, background }: TaskPlan): string[] => [
  ...before.flatMap(backgroundCommands),
  ...(command !== undefined && background ? [command] : []),
]
