import { readdir } from 'node:fs/promises'
import type { VariableContext } from '../base/configurationVariables.ts'
import { definedTasks, taskFilePaths } from '../tasks/definedTasks.ts'
import { packageManager, readProjectFile } from '../tasks/projectFile.ts'
import { testsInFile } from '../tasks/testsInFile.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Handlers } from '../core/coreContract.ts'

/**
 * Handles requests about tasks and tests. Only lists them; the window runs them in a terminal.
 * @param current returns the open folder, and the values of variables in tasks.json; throws ToolError no_workspace
 */
export function createTaskHandlers(
  current: () => { workspace: Workspace; variables(inputs: Record<string, string>): Promise<VariableContext> },
): Pick<Handlers, 'tasks.list' | 'tests.find'> {
  const read = (path: string): Promise<string | null> => readProjectFile(current().workspace, path)

  return {
    async 'tasks.list'() {
      const { root } = current().workspace
      const entries = await readdir(root)
      const texts = await Promise.all(
        taskFilePaths
          // If the file system ignores case, `Makefile` and `makefile` are one file.
          .filter((path) => path.includes('/') || entries.includes(path))
          .map(async (path) => [path, await read(path)] as const),
      )
      const files = new Map(texts.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])))
      return definedTasks(files, entries, await current().variables({}))
    },
    async 'tests.find'({ path, text }) {
      const entries = await readdir(current().workspace.root)
      return testsInFile(path, text, {
        packageJson: (await read('package.json')) ?? '',
        packageManager: packageManager(entries),
      })
    },
  }
}
