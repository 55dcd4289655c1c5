import path from 'node:path'
import { gitRulesFor, type FolderRules } from '../base/ignoreRules.ts'
import { absoluteIn, folderOf, topFolders, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { pathExists } from '../base/smallFile.ts'
import { toRepositoryPath } from '../../shared/git/git.ts'
import { compareWithCommit, type CommittedFile, type CommittedRange } from '../git/committedFiles.ts'
import { findRepositoryOf } from '../git/view/findRepositories.ts'
import { createGitAccess } from '../git/view/gitAccess.ts'
import type { ReviewDeps } from '../review/reviewTypes.ts'
import { readHeadCommit } from '../workspace/branch.ts'
import type { Workspace } from '../workspace/containment.ts'

/** Maximum milliseconds for comparing reviewed files with a new commit. */
const compareTimeout = 30_000
/** Milliseconds after which a folder is searched for a repository again. */
const maxAge = 5_000

/**
 * Returns the review's access to the repositories in a folder. In a trusted folder these are the same as in the git
 * view, including those with a git folder elsewhere, and the one that contains the folder.
 * @param isTrusted whether the user trusts a folder, by real path
 */
export function createReviewedRepositories(
  workspace: Workspace,
  isTrusted: (folder: string) => boolean,
): Required<Pick<ReviewDeps, 'commits' | 'ignored'>> {
  const access = createGitAccess({ workspace, isTrusted })
  const known = new Map<string, Promise<string | undefined>>()
  let knownSince = 0

  const repositoryOf = (folder: string): Promise<string | undefined> => {
    // A reviewed file can be in a folder that has been removed from the workspace.
    if (folderOf(workspace, folder) === undefined) return Promise.resolve(undefined)
    const found =
      known.get(folder) ??
      pathExists(path.join(absoluteIn(workspace, folder), '.git')).then((here) => {
        if (here) return folder
        return topFolders(workspace).includes(folder) ? above(folder) : repositoryOf(path.posix.dirname(folder))
      })
    known.set(folder, found)
    return found
  }

  /** @param top a folder of the workspace; in a single folder `.` */
  async function above(top: string): Promise<string | undefined> {
    const folder = absoluteIn(workspace, top)
    return isTrusted(folder) && (await findRepositoryOf(folder, workspace)) ? top : undefined
  }

  async function compare(folder: string, range: CommittedRange): Promise<Map<string, CommittedFile>> {
    const found = await findRepositoryOf(absoluteIn(workspace, folder), workspace)
    if (!found) return new Map()
    const signal = AbortSignal.timeout(compareTimeout)
    const pathOf = new Map([...range.files.keys()].map((each) => [toRepositoryPath(found, each) ?? each, each]))
    const files = new Map([...pathOf].map(([inRepository, each]) => [inRepository, range.files.get(each) ?? null]))
    const compared = await compareWithCommit((args, options) => access.read(found, args, signal, options), {
      ...range,
      files,
    })
    return new Map([...compared].map(([inRepository, file]) => [pathOf.get(inRepository) ?? inRepository, file]))
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
      head: (folder) => readHeadCommit(absoluteIn(workspace, folder)),
      compare,
    },
    ignored: (paths) => ignoredPaths(workspace, paths),
  }
}

/** Returns the paths that git ignores, directly or through a parent folder. */
async function ignoredPaths(workspace: WorkspaceRoots, paths: readonly string[]): Promise<Set<string>> {
  /** Null for an ignored folder. */
  const folders = new Map<string, Promise<FolderRules | null>>(
    topFolders(workspace).map((top) => [top, gitRulesFor(absoluteIn(workspace, top))]),
  )
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
    const folder = path.posix.dirname(each)
    if (folderOf(workspace, folder) === undefined) continue
    const rules = await rulesOf(folder)
    if (rules === null || rules.ignores(path.posix.basename(each), false)) ignored.add(each)
  }
  return ignored
}
