import { env } from 'node:process'
import { onTestFinished, type TestContext } from 'vitest'
import type { CommandSandbox } from '../../../shared/commands/sandbox.ts'
import type { CellProgress, NotebookKernel } from '../../../shared/notebook/kernels.ts'
import { searchPathOf } from '../../base/programSearch.ts'
import { sandboxedJobs } from '../../command/testing/sandboxedJobs.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createNotebookKernels, type NotebookKernelDeps, type NotebookKernels } from '../notebookKernels.ts'

/** A temporary folder with the real Jupyter in the real sandbox. */
export interface NotebookFolder {
  root: string
  kernels: NotebookKernels
  progress: CellProgress[]
  notices: string[]
  /** Resolves when the state of the kernels passes. */
  until(passes: (kernels: readonly NotebookKernel[]) => boolean): Promise<void>
}

/** Opens a temporary folder with files, which is removed after the test. */
export async function openNotebookFolder(
  files: Readonly<Record<string, string>>,
  overrides: Partial<NotebookKernelDeps> = {},
): Promise<NotebookFolder> {
  const { root, remove } = await temporaryFolder({ ...files })
  const data = await temporaryFolder({})
  const jobs = await sandboxedJobs(root, { userData: data.root })
  const found = await jobs.plan('python3', 'sandbox')
  const how: CommandSandbox = found.sandboxed ? found : { sandboxed: false, reason: 'turned off in the settings' }
  const progress: CellProgress[] = []
  const notices: string[] = []
  const waiting = new Set<() => void>()
  const kernels = createNotebookKernels({
    workspace: { root },
    searchPath: searchPathOf(env),
    startProgram: jobs.startProgram,
    sandbox: async () => how,
    isTrusted: () => true,
    onChanged: () => waiting.forEach((check) => check()),
    onOutput: (each) => progress.push(each),
    onNotice: (message) => notices.push(message),
    ...overrides,
  })
  onTestFinished(async () => {
    await kernels.dispose()
    await jobs.dispose()
    await remove()
    await data.remove()
  })
  return {
    root,
    kernels,
    progress,
    notices,
    until(passes) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const check = (): void => {
        if (!passes(kernels.kernels())) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
      return promise
    },
  }
}

/** Like `openNotebookFolder`. Skips the test with the reason if no Python has Jupyter. */
export async function folderWithJupyter(
  context: Pick<TestContext, 'skip'>,
  files: Readonly<Record<string, string>> = {},
): Promise<NotebookFolder> {
  const folder = await openNotebookFolder(files)
  const found = await folder.kernels.find()
  if ('reason' in found) context.skip(found.reason)
  return folder
}
