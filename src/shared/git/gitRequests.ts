import { z } from 'zod'
import type {
  GitBlame,
  GitCommitDetails,
  GitCommitFile,
  GitCredentialRequest,
  GitDiscardResult,
  GitFileVersion,
  GitLock,
  GitLogPage,
  GitReferences,
  GitRepository,
  GitRunningAction,
  GitStash,
  GitStatusSummary,
  GitSwitchResult,
} from './git.ts'
import { request } from '../requestType.ts'

// Requests of the git view. Every action returns the status afterwards. `operation`: an id that the window chooses
// for `git.cancel` and the event `git.progress`. A failure has a `reason` (GitFailureReason) and git's output as
// `detail`.

const path = z.string().min(1).max(4096)
const id = z.string().min(1).max(200)
const repository = z.string().max(4096)
const paths = z.array(path).min(1).max(20_000)
const message = z.string().max(1_000_000)
/** A branch, tag, remote or commit. Main refuses names that git would parse as options. */
const name = z.string().min(1).max(1000)
const ofRepository = z.object({ repository })
const action = ofRepository.extend({ operation: id })
const file = ofRepository.extend({ path })
const version = z.union([z.enum(['working', 'index', 'head', 'base', 'ours', 'theirs']), z.object({ commit: name })])
const lines = z.object({ line: z.number().int().min(1), text: z.array(z.string()).max(1_000_000) })
const page = {
  skip: z.number().int().min(0).max(10_000_000).default(0),
  limit: z.number().int().min(1).max(1000).default(100),
}
const search = z.string().max(1000).optional()

/** A name or email address as git stores it: one line, without the angle brackets that enclose an address. */
const identityText = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^<>\n\r\0]*$/, 'A name or email address cannot contain < or >.')

/** Whether a session's commits may change protected files, or the commit at which the user has seen their names. */
export const allowedFiles = z.union([z.boolean(), z.string().min(1).max(64)]).default(false)

export const gitRequests = {
  /** Finds the repositories of the open folder, up to three folders deep, and submodules. `again`: search again. */
  'git.repositories': request<GitRepository[]>()(() => z.object({ again: z.boolean().default(false) })),
  /** Creates a repository in the open folder. @throws already_exists */
  /** `folder`: one of a multi-root workspace. */
  'git.initialize': request<GitRepository[]>()(() => z.object({ folder: z.string().min(1).max(4096).default('.') })),
  /** Returns the latest status. `refresh`: runs git first. Later changes arrive as `git.changed`. */
  'git.status': request<GitStatusSummary>()(() => ofRepository.extend({ refresh: z.boolean().default(false) })),
  /** Stages files, including untracked and deleted ones. Default: all. Staging a conflict marks it as resolved. */
  'git.stage': request<GitStatusSummary>()(() => action.extend({ paths: paths.optional() })),
  'git.unstage': request<GitStatusSummary>()(() => action.extend({ paths: paths.optional() })),
  /**
   * Commits the staged changes. `all`: stage all changes of tracked files first. `skipHooks`: skip pre-commit and
   * commit-msg.
   */
  'git.commit': request<{ hash: string; status: GitStatusSummary }>()(() =>
    action.extend({
      message,
      amend: z.boolean().default(false),
      signOff: z.boolean().default(false),
      all: z.boolean().default(false),
      skipHooks: z.boolean().default(false),
    }),
  ),
  /** Stores the author name and email address, after an action failed without them (reason `no_identity`). */
  'git.setIdentity': request<void>()(() =>
    ofRepository.extend({ name: identityText, email: identityText, scope: z.enum(['repository', 'all']) }),
  ),
  /** Drafts a message for the staged changes with the model of a conversation. The user edits it before committing. */
  'git.draftMessage': request<string>()(() => action.extend({ conversation: id.optional() })),
  /** Restores files from the index (`changes`), or deletes them (`untracked`). Keeps a backup for `git.undoDiscard`. */
  'git.discard': request<GitDiscardResult>()(() => action.extend({ paths, group: z.enum(['changes', 'untracked']) })),
  /**
   * Restores files that an action overwrote, except those that have changed since. The result's `backup` undoes this in
   * turn. `only`: restore these workspace paths, even if they have changed.
   */
  'git.undoDiscard': request<GitDiscardResult>()(() =>
    action.extend({ backup: z.number().int(), only: paths.optional() }),
  ),
  /**
   * Stages, unstages or discards hunks and lines. `before` and `after`: the index and the working file, or for
   * `unstage` HEAD and the index. Staging includes unsaved text; discarding fails with `unsaved_changes` if there is
   * any.
   * @throws conflict if the lines are not those of the request
   */
  'git.applyLines': request<GitDiscardResult>()(() =>
    action.extend({
      path,
      action: z.enum(['stage', 'unstage', 'discard']),
      changes: z
        .array(z.object({ before: lines, after: lines }))
        .min(1)
        .max(10_000),
    }),
  ),
  /** Returns a version of a file, for diffs, gutter marks and conflicts. */
  'git.fileAt': request<GitFileVersion>()(() => file.extend({ at: version })),
  /** Resolves a conflict with one side. For a file that the user edited, `git.stage` marks it as resolved. */
  'git.resolve': request<GitDiscardResult>()(() => action.extend({ path, take: z.enum(['ours', 'theirs', 'delete']) })),
  /** Restores the conflict in resolved files. @throws not_found if git no longer has it */
  'git.unresolve': request<GitDiscardResult>()(() => action.extend({ paths })),
  /** Continues, aborts or skips a step of the unfinished operation. */
  'git.operation': request<GitDiscardResult>()(() => action.extend({ step: z.enum(['continue', 'abort', 'skip']) })),

  'git.references': request<GitReferences>()(() => ofRepository),
  /** `from`: a commit or branch; default HEAD. `switch`: checks it out. */
  'git.createBranch': request<GitStatusSummary>()(() =>
    action.extend({ name, from: name.optional(), switch: z.boolean().default(true) }),
  ),
  /**
   * Checks out a branch. `track`: `target` is a remote branch for which to create a local one. `detach`: any commit.
   * `leftBehind`: the previous detached HEAD, if no branch or tag contains its commits.
   */
  'git.switch': request<GitSwitchResult>()(() =>
    action.extend({ target: name, track: z.boolean().default(false), detach: z.boolean().default(false) }),
  ),
  /** Returns the commit of the deleted branch, so that it can be restored. */
  'git.deleteBranch': request<{ commit: string; status: GitStatusSummary }>()(() =>
    action.extend({ name, force: z.boolean().default(false) }),
  ),
  /** Renames a local branch. Keeps its upstream branch and its worktree. */
  'git.renameBranch': request<GitStatusSummary>()(() => action.extend({ name, to: name })),
  /** `session`: whose branch it is. `allowProtected`: whether that may bring protected files. */
  'git.merge': request<GitStatusSummary>()(() =>
    action.extend({ branch: name, session: id.optional(), allowProtected: allowedFiles }),
  ),
  /** Applies a commit to the branch, or reverts it. Conflicts are resolved like those of a merge. */
  'git.applyCommit': request<GitStatusSummary>()(() =>
    action.extend({ commit: name, how: z.enum(['cherry_pick', 'revert']) }),
  ),
  /** A message makes it an annotated tag. */
  'git.createTag': request<GitStatusSummary>()(() =>
    action.extend({ name, commit: name.optional(), message: message.optional() }),
  ),
  'git.deleteTag': request<{ commit: string; status: GitStatusSummary }>()(() => action.extend({ name })),

  'git.stashes': request<GitStash[]>()(() => ofRepository),
  'git.stash': request<GitStatusSummary>()(() =>
    action.extend({ message: message.default(''), untracked: z.boolean().default(true), paths: paths.optional() }),
  ),
  'git.applyStash': request<GitStatusSummary>()(() => action.extend({ hash: name, pop: z.boolean().default(false) })),
  'git.dropStash': request<GitStatusSummary>()(() => action.extend({ hash: name })),
  /** Restores a dropped stash. */
  'git.restoreStash': request<GitStatusSummary>()(() => action.extend({ hash: name, message })),

  'git.fetch': request<GitStatusSummary>()(() =>
    action.extend({ remote: name.optional(), prune: z.boolean().default(false) }),
  ),
  /** `strategy`: default is the user's git configuration; without one, git refuses with the reason `diverged`. */
  'git.pull': request<GitStatusSummary>()(() =>
    action.extend({ strategy: z.enum(['merge', 'rebase', 'fast_forward']).optional() }),
  ),
  /**
   * Pushes the current branch. `setUpstream`: publish it. `force`: replace commits of the remote branch, unless it has
   * commits that were not fetched; ask the user first. `tags`: also push all tags.
   */
  'git.push': request<GitStatusSummary>()(() =>
    action.extend({
      remote: name.optional(),
      setUpstream: z.boolean().default(false),
      force: z.boolean().default(false),
      tags: z.boolean().default(false),
    }),
  ),
  /** Pulls, then pushes. */
  'git.sync': request<GitStatusSummary>()(() => action),
  /** Clones into a new folder in `folder` (absolute). Needs no open folder. Returns the path of the new folder. */
  'git.clone': request<{ path: string }>()(() =>
    z.object({ operation: id, url: z.string().min(1).max(4096), folder: path, name: z.string().max(255).optional() }),
  ),

  /**
   * Returns commits, latest first. `all`: of all branches and tags; otherwise of `ref` or HEAD. `text`: in messages, or
   * a hash. Cancels the previous `git.log`, whose result the window no longer needs.
   */
  'git.log': request<GitLogPage>()(() =>
    ofRepository.extend({
      all: z.boolean().default(false),
      ref: name.optional(),
      path: path.optional(),
      author: search,
      text: search,
      ...page,
    }),
  ),
  /** Returns the commits that changed a file, also under earlier names (`GitCommitEntry.path`). */
  'git.fileHistory': request<GitLogPage>()(() => file.extend(page)),
  /** Returns the message and files of a commit, compared with its first parent. */
  'git.commitDetails': request<GitCommitDetails>()(() => ofRepository.extend({ commit: name })),
  'git.compare': request<{ files: GitCommitFile[]; truncated: boolean }>()(() =>
    ofRepository.extend({ from: name, to: name }),
  ),
  /** Returns who last changed each line of the current text, which includes unsaved changes. */
  'git.blame': request<GitBlame>()(() => file),
  /** Returns the lock that made an action fail (reason `locked`), and which processes may hold it. */
  'git.lock': request<GitLock>()(() => ofRepository),
  /** Removes the lock. @throws conflict if a git process may hold it */
  'git.removeLock': request<GitStatusSummary>()(() => ofRepository),
  /** Returns the open prompts of git and ssh, for a reloaded window. Changes arrive as `git.credentialsChanged`. */
  'git.credentialRequests': request<GitCredentialRequest[]>()(() => z.object({})),
  /** Answers a prompt. Null: the user cancelled. The answer is not stored. */
  'git.answerCredential': request<void>()(() => z.object({ id, answer: z.string().max(10_000).nullable() })),
  /**
   * Returns the running actions, which continue when the window reloads, and, once, those that ended while no window
   * was waiting. The event `git.actionEnded` reports each end.
   */
  'git.running': request<GitRunningAction[]>()(() => z.object({})),
  /** Cancels a running action, which then fails with `cancelled`. */
  'git.cancel': request<void>()(() => z.object({ operation: id })),
} as const
