import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { GitProgress, GitRepository, GitStatusSummary } from '../../../../shared/git/git.ts'
import { createCheckpoints } from '../../../history/checkpoints/checkpoints.ts'
import { openDatabase } from '../../../history/database.ts'
import { fakeEditor, temporaryFolder, writeTree, type FakeEditor } from '../../../tools/testing/toolContext.ts'
import { openWorkspace } from '../../../workspace/containment.ts'
import { createDocuments } from '../../../workspace/documents.ts'
import { createFileOperations } from '../../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../../workspace/restoreTarget.ts'
import { decodeText, encodeText } from '../../../base/textFormat.ts'
import { createSourceControl, type SourceControl, type SourceControlDeps } from '../sourceControl.ts'

const run = promisify(execFile)

/** Environment of tests: the user's configuration of this machine has no effect. */
export const testEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'file:http:ssh',
}

/** A folder with a repository, and the service on it. */
export interface GitFolder {
  root: string
  id: string
  service: SourceControl
  trusted: boolean
  /** The only folder that is trusted. Default: all, if `trusted`. */
  trustedOnly?: string
  editor: FakeEditor
  statuses: GitStatusSummary[]
  repositories: GitRepository[][]
  progress: GitProgress[]
  problems: string[]
  /** Runs git as a user does in a terminal. @returns its output */
  git(...args: string[]): Promise<string>
  write(files: Record<string, string | Buffer>): Promise<void>
  remove(): Promise<void>
}

let template: Promise<{ root: string }> | undefined

/** Creates the repository that all tests copy: one commit with `a.txt` and `sub/b.txt` on `main`. */
async function createTemplate() {
  const folder = await temporaryFolder({ 'a.txt': 'one\ntwo\nthree\n', 'sub/b.txt': 'b\n' })
  const git = (...args: string[]) => run('git', args, { cwd: folder.root, env: testEnvironment })
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ana')
  await git('config', 'user.email', 'ana@example.org')
  await git('config', 'gc.auto', '0')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'first')
  await rm(path.join(folder.root, '.git/hooks'), { recursive: true, force: true })
  return folder
}

export async function gitFolder(options: Partial<SourceControlDeps> & { empty?: boolean } = {}): Promise<GitFolder> {
  const folder = await temporaryFolder()
  const data = await temporaryFolder()
  const { empty = false, ...deps } = options
  if (!empty)
    await cp((await (template ??= createTemplate())).root, folder.root, { recursive: true, verbatimSymlinks: true })
  const workspace = await openWorkspace(folder.root)
  const editor = fakeEditor()
  const documents = createDocuments(workspace, editor)
  const target = createRestoreTarget(workspace, documents, createFileOperations(workspace), () => undefined)
  const { db, close } = await openDatabase(data.root, () => undefined)
  const checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target })
  const result: GitFolder = {
    root: folder.root,
    id: folder.root,
    trusted: true,
    editor,
    statuses: [],
    repositories: [],
    progress: [],
    problems: [],
    service: createSourceControl({
      workspace,
      files: { documents, target, checkpoints, decode: decodeText, encode: encodeText },
      isTrusted: (each) => result.trusted && each === (result.trustedOnly ?? each),
      isSecret: (each) => each.endsWith('.env'),
      onRepositories: (repositories) => result.repositories.push(repositories),
      onStatus: (status) => result.statuses.push(status),
      onProgress: (progress) => result.progress.push(progress),
      onProblem: (message) => result.problems.push(message),
      environment: testEnvironment,
      ...deps,
    }),
    async git(...args) {
      const { stdout } = await run('git', args, { cwd: folder.root, env: testEnvironment })
      return stdout
    },
    write: (files) => writeTree(folder.root, files),
    async remove() {
      await result.service.close()
      await checkpoints.close()
      close()
      await folder.remove()
      await data.remove()
    },
  }
  return result
}

/** Names in each group of a status. */
export function groupsOf({ groups }: GitStatusSummary): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(groups)
      .filter(([, changes]) => changes.length > 0)
      .map(([group, changes]) => [group, changes.map(({ path: name, kind }) => `${kind} ${name}`)]),
  )
}
