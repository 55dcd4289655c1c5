import path from 'node:path'
import { realpath } from 'node:fs/promises'
import type { UserData } from '../appServices/userData.ts'
import { removeFolderIndex } from '../code/codeIndex.ts'
import { runGitProcess } from '../git/gitProcess.ts'
import { disabledPrograms } from '../git/repositoryConfiguration.ts'
import { gitEnvironment } from '../git/runGit.ts'
import type { RunGit } from '../sessions/sessionGit.ts'
import { createSessions, type Sessions } from '../sessions/sessions.ts'

/** Maximum bytes of git's output, for example the list of ignored files. */
const maxOutput = 64 * 1024 * 1024

/** Creates the sessions in worktrees. @param userData the user data folder */
export function createSessionServices(
  userData: string,
  { sessions, settings, folderTrust }: Pick<UserData, 'sessions' | 'settings' | 'folderTrust'>,
): Sessions {
  return createSessions({
    records: sessions,
    storage: path.join(userData, 'sessions'),
    worktrees: () => settings.get().sessions.folder || `${path.resolve(userData)}-worktrees`,
    run: createSessionGit(folderTrust.isTrusted),
    forgetWorktree: (worktree) => removeFolderIndex(worktree, userData),
  })
}

/**
 * Returns git for worktrees, without hooks. Filters, such as those of Git LFS, run only in a trusted repository.
 *
 * @param isTrusted whether the user trusts a folder, by real path
 */
export function createSessionGit(isTrusted: (folder: string) => boolean): RunGit {
  async function withoutPrograms(folder: string, signal: AbortSignal): Promise<Record<string, string>> {
    const args = ['rev-parse', '--path-format=absolute', '--git-common-dir']
    const env = gitEnvironment(process.env, {})
    const { code, output } = await runGitProcess({ args, folder, env, maxBytes: maxOutput, signal })
    if (code !== 0) return {}
    const common = await realpath(output.toString('utf8').trim())
    const workTree = path.basename(common) === '.git' ? path.dirname(common) : common
    return isTrusted(workTree) ? {} : disabledPrograms({ gitDir: common, workTree: common }, signal)
  }

  return async (folder, args, { input, environment = {} } = {}) => {
    const signal = new AbortController().signal
    const env = { ...gitEnvironment(process.env, await withoutPrograms(folder, signal)), ...environment }
    const { code, output, stderr } = await runGitProcess({ args, folder, env, input, maxBytes: maxOutput, signal })
    return { code, output, stdout: output.toString('utf8'), stderr }
  }
}
