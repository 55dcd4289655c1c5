import path from 'node:path'
import { gitRulesFor, type FolderRules } from '../base/ignoreRules.ts'
import { exists } from '../base/smallFile.ts'
import { compareWithCommit } from '../git/committedFiles.ts'
import type { ReviewDeps } from '../review/reviewTypes.ts'
import { readHeadCommit } from '../workspace/branch.ts'
import type { Workspace } from '../workspace/containment.ts'

/** Time limit for comparing reviewed files with a new commit, in milliseconds. */
const compareTimeout = 30_000
/** Time in milliseconds after which a folder is looked at again for a repository. */
const maxAge = 5_000

/** Returns what the review needs of the repositories in a folder. */
export function createReviewedRepositories(workspace: Workspace): Required<Pick<ReviewDeps, 'commits' | 'ignored'>> {
  const known = new Map<string, Promise<string | undefined>>()
  let knownSince = 0

  const repositoryOf = (folder: string): Promise<string | undefined> => {
    const found =
      known.get(folder) ??
      exists(path.join(workspace.root, folder, '.git')).then((here) => {
        if (here) return folder
        return folder === '.' ? undefined : repositoryOf(path.posix.dirname(folder))
      })
    known.set(folder, found)
    return found
  }

  return {
    commits: {
      repositoryOf(file) {
        if (Date.now() - knownSince > maxAge) {
          known.clear()
          knownSince = Date.now()
        }
        return repositoryOf(path.posix.dirname(file))
      },
      head: (folder) => readHeadCommit(path.join(workspace.root, folder)),
      compare: (folder, range) => compareWithCommit(workspace, range, AbortSignal.timeout(compareTimeout), folder),
    },
    ignored: (paths) => ignoredPaths(workspace.root, paths),
  }
}

/** Returns those of these paths that git ignores, by themselves or with a parent folder. @param root absolute */
async function ignoredPaths(root: string, paths: readonly string[]): Promise<Set<string>> {
  /** Null for an ignored folder. */
  const folders = new Map<string, Promise<FolderRules | null>>([['.', gitRulesFor(root)]])
  const rulesOf = (folder: string): Promise<FolderRules | null> => {
    const found =
      folders.get(folder) ??
      rulesOf(path.posix.dirname(folder)).then((above) => {
        const name = path.posix.basename(folder)
        return above === null || above.ignores(name, true) ? null : above.enter(name)
      })
    folders.set(folder, found)
    return found
  }
  const ignored = new Set<string>()
  for (const each of paths) {
    const rules = await rulesOf(path.posix.dirname(each))
    if (rules === null || rules.ignores(path.posix.basename(each), false)) ignored.add(each)
  }
  return ignored
}
