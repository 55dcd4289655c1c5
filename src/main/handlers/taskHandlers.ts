import type { Task } from '../../shared/commands/tasks.ts'
import { absoluteIn, folderOf, folderOrFirst, pathInFolder, topFolders } from '../base/workspaceRoots.ts'
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FolderVariables } from '../base/configurationVariables.ts'
import { parseLooseJson } from '../base/looseJson.ts'
import { readSmallFile } from '../base/smallFile.ts'
import { definedTasks, taskFilePaths } from '../tasks/definedTasks.ts'
import { tasksFilePath } from '../tasks/editorTasks.ts'
import { packageManager, readProjectFile } from '../tasks/projectFile.ts'
import { testsInFile } from '../tasks/testsInFile.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Handlers } from '../core/coreContract.ts'

/**
 * Handles requests about tasks and tests. Only lists them; the window runs them in a terminal.
 * @param current returns the open folder, and the values of variables in tasks.json; throws ToolError no_workspace
 */
export function createTaskHandlers(
  current: () => { workspace: Workspace; variables: FolderVariables },
): Pick<Handlers, 'tasks.list' | 'tests.find'> {
  /** Reads a file of a folder. @param folder its workspace path */
  const read = (folder: string, path: string): Promise<string | null> =>
    readProjectFile(current().workspace, pathInFolder(folder, path))

  async function tasksOf(folder: string): Promise<Task[]> {
    const { workspace, variables } = current()
    const entries = await readdir(absoluteIn(workspace, folder)).catch((): string[] => [])
    const texts = await Promise.all(
      taskFilePaths
        // If the file system ignores case, `Makefile` and `makefile` are one file.
        .filter((path) => path.includes('/') || entries.includes(path))
        .map(async (path) => [path, await read(folder, path)] as const),
    )
    const files = new Map(texts.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])))
    const tasks = definedTasks(files, entries, await variables({}, folder))
    return folder === '.' ? tasks : tasks.map((task) => ({ ...task, source: `${folder}/${task.source}`, folder }))
  }

  /** The tasks in the file of a multi-root workspace. They run in its first folder, as in VS Code. */
  async function workspaceTasks(): Promise<Task[]> {
    const { workspace, variables } = current()
    if (!workspace.multiRoot) return []
    const { file } = workspace.multiRoot
    const contents = parseLooseJson((await readSmallFile(file)) ?? '') as { tasks?: unknown } | undefined
    const { folder, absolute } = folderOrFirst(workspace, '')
    const entries = await readdir(absolute).catch((): string[] => [])
    const files = new Map([[tasksFilePath, JSON.stringify(contents?.tasks ?? {})]])
    const tasks = definedTasks(files, entries, await variables({}, folder))
    return tasks.map((task) => ({ ...task, source: basename(file), folder }))
  }

  return {
    'tasks.list': async () =>
      (await Promise.all([...topFolders(current().workspace).map(tasksOf), workspaceTasks()])).flat(),
    async 'tests.find'({ path, text }) {
      const { workspace } = current()
      const { folder, absolute, inside } = folderOf(workspace, path) ?? {
        ...folderOrFirst(workspace, path),
        inside: path,
      }
      const entries = await readdir(absolute)
      const tests = testsInFile(inside, text, {
        packageJson: (await read(folder, 'package.json')) ?? '',
        packageManager: packageManager(entries),
      })
      return folder === '.' ? tests : tests.map((test) => ({ ...test, folder }))
    },
  }
}
