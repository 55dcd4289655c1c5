import { repairTask } from './repairTask.ts'
import { editTask, longFileTask, readTask, refusalTask, twoCallsTask } from './smallTasks.ts'
import type { CheckTask } from './checkTask.ts'

/** Creates all tasks in order. Values and names depend on the seed. */
export function checkTasks(seed: number): CheckTask[] {
  return [readTask(seed), editTask(seed), repairTask(seed), twoCallsTask(seed), longFileTask(seed), refusalTask(seed)]
}
