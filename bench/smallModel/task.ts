import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repairTask } from '../../src/main/modelCheck/tasks/repairTask.ts'

export interface Task {
  root: string
  prompt: string
  /** Runs the original tests in a new process. @returns whether they pass */
  solved(): Promise<boolean>
  remove(): Promise<void>
}

/** Writes the repair task of "Check my model" to a temporary folder. */
export async function makeTask(seed: number): Promise<Task> {
  const root = await mkdtemp(join(tmpdir(), 'tizona-small-model-'))
  const { files, prompt } = repairTask(seed)
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return {
    root,
    prompt,
    async solved() {
      // Restores the tests, which the model may have changed.
      for (const [path, text] of files) if (!path.startsWith('src/')) await writeFile(join(root, path), text)
      return testsPass(root)
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

function testsPass(root: string): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test'], { cwd: root, env, timeout: 60_000 }, (error) => resolve(error === null))
  })
}
