// Types of the git view. Paths are relative to the repository with `/` separators, unless a comment says otherwise. A
// name that is not valid UTF-8 keeps its bytes: each invalid byte is a lone surrogate from U+DC80 to U+DCFF, which is
// displayed as �.

import type { Failure } from '../errors.ts'

/** Where files of a repository are in the workspace. */
export interface RepositoryPlace {
  folder: string
  prefix?: string | undefined
}

/** A repository, worktree or submodule in the open folder. */
export interface GitRepository {
  /** Real path of its work tree, or of the repository itself if it is bare. */
  id: string
  /** Workspace-relative folder; `.` for the workspace itself and for a repository above it. */
  folder: string
  /** For a repository above the workspace: path of the workspace in the repository. */
  prefix?: string
  /** For a repository above several folders of a multi-root workspace: the same of the other folders. */
  others?: readonly RepositoryPlace[]
  /** Folder name, for display. */
  name: string
  kind: 'repository' | 'worktree' | 'submodule' | 'bare'
  /** For a submodule: `id` of its parent repository. */
  parent?: string
  /**
   * Whether the user's hooks, signing, filters and credential helpers run for the user's actions. False in a restricted
   * folder: commits and staging skip them, and actions that use the network are refused.
   */
  trusted: boolean
}

/** What happened to a file. `conflict` occurs in the group `merge` only. */
export type GitChangeKind =
  | 'modified'
  | 'added'
  | 'deleted'
  | 'renamed'
  | 'copied'
  | 'type_changed'
  | 'untracked'
  | 'conflict'

/** Letters of the change kinds, as in `git status`. */
export const gitChangeLetters: Record<GitChangeKind, string> = {
  modified: 'M',
  added: 'A',
  deleted: 'D',
  renamed: 'R',
  copied: 'C',
  type_changed: 'T',
  untracked: 'U',
  conflict: '!',
}

/** Who changed a file in a conflict. `ours` is the current branch. */
export type GitConflictKind =
  | 'both_modified'
  | 'both_added'
  | 'both_deleted'
  | 'added_by_us'
  | 'added_by_them'
  | 'deleted_by_us'
  | 'deleted_by_them'

export interface GitChange {
  path: string
  /** Previous path of a renamed or copied file. */
  from?: string
  kind: GitChangeKind
  conflict?: GitConflictKind
  /** Present if the entry is a submodule. */
  submodule?: { commitChanged: boolean; modified: boolean; untracked: boolean }
}

/** Groups of the view. A file can be in `staged` and in `changes`. */
export type GitGroup = 'merge' | 'staged' | 'changes' | 'untracked'

export type GitOperationKind = 'merge' | 'rebase' | 'cherry_pick' | 'revert' | 'bisect' | 'apply_mailbox'

/** An operation that is waiting for the user to resolve conflicts, or to continue or abort it. */
export interface GitUnfinishedOperation {
  kind: GitOperationKind
  /** Branch or commit being merged, rebased, picked or reverted, for display. */
  subject?: string
  /** Commit message that git prepared. */
  message?: string
  /** Progress of a rebase. */
  step?: number
  steps?: number
}

/** Maximum number of entries in each group of a status. Further ones are only counted. Conflicts are always listed. */
export const maxGitChanges = 10_000

export interface GitStatusSummary {
  repository: GitRepository
  /** Changes when HEAD or the index changes, so that texts at `head` and `index` have to be read again. */
  revision: string
  /** Null if HEAD is detached. Also set before the first commit. */
  branch: string | null
  /** Commit of HEAD; null before the first commit. */
  head: string | null
  /** `gone`: the remote branch no longer exists. */
  upstream: { name: string; ahead: number; behind: number; gone: boolean } | null
  operation: GitUnfinishedOperation | null
  groups: Record<GitGroup, GitChange[]>
  /** Number of entries in each group, including those that are not listed. */
  counts: Record<GitGroup, number>
  /** Whether the groups do not list all entries (`maxGitChanges`). */
  truncated: boolean
  stashes: number
}

/**
 * A version of a file. `working`: the file on disk or the unsaved text of its tab. `base`, `ours`, `theirs`: in a
 * conflict.
 */
export type GitVersion = 'working' | 'index' | 'head' | 'base' | 'ours' | 'theirs' | { commit: string }

/** Maximum size of a version that is returned as text, in bytes. */
export const maxGitTextBytes = 20 * 1024 * 1024

/** Content of a file in one version. */
export type GitFileVersion =
  | { kind: 'missing' }
  /**
   * `text` has `\n` line endings; for a link it is the target. `id`: the blob's object id, or a hash of the working
   * file.
   */
  | { kind: 'text'; id: string; text: string; encoding: string; eol: '\n' | '\r\n' }
  | { kind: 'binary' | 'too_large'; id: string; size: number }
  | { kind: 'submodule'; id: string; commit: string }

/**
 * Consecutive lines in the text of a version, as the window shows it. Line 1 is the first one. A text that ends with a
 * line break has an empty last line.
 */
export interface GitLines {
  /** First line. If `text` is empty: the line before which the position is. */
  line: number
  /** The lines without line breaks. Nothing is changed if they differ from the lines of the version (`conflict`). */
  text: string[]
}

/** A hunk, or part of one: the lines `before` were replaced by the lines `after`. */
export interface GitLineChange {
  before: GitLines
  after: GitLines
}

export interface GitCommitEntry {
  hash: string
  parents: string[]
  author: { name: string; email: string }
  /** Milliseconds since the epoch. */
  authoredAt: number
  committedAt: number
  subject: string
  refs: GitRef[]
  /** In a file history: path of the file in this commit. */
  path?: string
}

export interface GitRef {
  kind: 'branch' | 'remote' | 'tag' | 'stash' | 'other'
  name: string
  /** Whether HEAD refers to this branch. */
  head?: boolean
}

export interface GitLogPage {
  commits: GitCommitEntry[]
  /** Whether there are further commits after these. */
  more: boolean
}

/** A file that differs between two commits. */
export interface GitCommitFile {
  path: string
  from?: string
  kind: GitChangeKind
  /** Changed lines; null for a binary file. */
  added: number | null
  removed: number | null
}

export interface GitCommitDetails extends GitCommitEntry {
  /** Whole message. */
  message: string
  files: GitCommitFile[]
  /** Whether `files` is incomplete. */
  truncated: boolean
}

export interface GitBranch {
  /** Without `refs/heads/` or `refs/remotes/`. */
  name: string
  commit: string
  subject: string
  committedAt: number
  current: boolean
  upstream?: { name: string; ahead: number; behind: number; gone: boolean }
  /** Folder of the worktree in which this branch is checked out. */
  worktree?: string
}

export interface GitTag {
  name: string
  commit: string
  subject: string
  createdAt: number
}

export interface GitRemote {
  name: string
  /** Without user name and password. */
  url: string
}

/** Branches, tags and remotes. Lists are sorted latest first and have at most `maxGitRefs` entries. */
export interface GitReferences {
  local: GitBranch[]
  remote: GitBranch[]
  tags: GitTag[]
  remotes: GitRemote[]
  truncated: boolean
}

export const maxGitRefs = 2000

/** Result of a switch to another branch or commit. */
export interface GitSwitchResult {
  status: GitStatusSummary
  /** Commits that only the previous detached HEAD contained: the latest one, and how many. */
  leftBehind?: { commit: string; count: number }
}

export interface GitStash {
  /** Commit of the stash. Identifies it, because stash numbers change. */
  hash: string
  index: number
  message: string
  branch?: string
  createdAt: number
}

/** Who last changed each line of a file. */
export interface GitBlame {
  /** Index into `commits` for each line; -1 for a line that is not committed. */
  lines: number[]
  commits: GitBlameCommit[]
}

export interface GitBlameCommit {
  hash: string
  author: string
  email: string
  /** Milliseconds since the epoch. */
  authoredAt: number
  subject: string
  /** Path of the file in this commit. */
  path: string
}

/** Requests that the user can cancel with `git.cancel`. */
export const gitActions = [
  'git.stage',
  'git.unstage',
  'git.commit',
  'git.draftMessage',
  'git.discard',
  'git.undoDiscard',
  'git.applyLines',
  'git.resolve',
  'git.unresolve',
  'git.operation',
  'git.createBranch',
  'git.switch',
  'git.deleteBranch',
  'git.renameBranch',
  'git.merge',
  'git.applyCommit',
  'git.createTag',
  'git.deleteTag',
  'git.stash',
  'git.applyStash',
  'git.dropStash',
  'git.restoreStash',
  'git.fetch',
  'git.pull',
  'git.push',
  'git.sync',
  'git.clone',
] as const
export type GitAction = (typeof gitActions)[number]

/** Author name and email address. `scope`: for this repository, or for all of the user's repositories. */
export interface GitIdentity {
  name: string
  email: string
  scope: 'repository' | 'all'
}

/** An action that is running in main. */
export interface GitRunningAction {
  /** `operation` of the request. */
  operation: string
  /** Id of the repository; null for a clone. */
  repository: string | null
  action: GitAction
  /** How it ended, if the window that started it had been closed or reloaded. */
  ended?: { failure?: Failure }
}

/** A line of output from a running action, or its progress. */
export interface GitProgress {
  /** `operation` of the request. */
  operation: string
  /** Such as "Receiving objects". */
  text: string
  /** 0 to 100, if git reports it. */
  percent?: number
}

/**
 * A prompt of git or ssh during an action of the user. Nothing is stored. `secret`: hide the input. `confirm`: a yes-no
 * question, answered with `yes` or `no`.
 */
export interface GitCredentialRequest {
  id: string
  /** `operation` of the request that needs the answer. */
  operation: string
  kind: 'user_name' | 'password' | 'passphrase' | 'confirm' | 'other'
  secret: boolean
  /** Host that receives the answer, or the key file. Null if unknown. */
  subject: string | null
  /** The prompt as git or ssh wrote it. */
  prompt: string
  /** Machine whose git or ssh asks and receives the answer, if it is not the user's own. */
  machine?: string
}

/** Why an action failed, if the window offers a matching next step (`Failure.reason`). */
const gitFailureReasons = [
  /** `index.lock` exists. Offer `git.lock`. */
  'locked',
  'no_identity',
  'hook_failed',
  'signing_failed',
  'authentication_failed',
  'host_key_unknown',
  'network',
  /** The remote has commits that are missing here. Offer pull, or push with `force`. */
  'push_rejected',
  'push_refused_by_server',
  'no_upstream',
  'no_remote',
  /** Both sides have commits. Offer pull with `merge` or `rebase`. */
  'diverged',
  /** Local changes would be overwritten. Offer to stash them. */
  'local_changes',
  'untracked_files',
  /** Conflicts are now in the `merge` group. */
  'conflicts',
  'unmerged_branch',
  'nothing_to_commit',
  'operation_in_progress',
  'restricted',
  'bare',
  'no_commits',
  'branch_in_use',
] as const
export type GitFailureReason = (typeof gitFailureReasons)[number]

/** A lock file that blocks changes to the index. */
export interface GitLock {
  /** Absolute path; null if there is no lock. */
  path: string | null
  /** Milliseconds since the epoch. */
  createdAt: number | null
  /** Running git processes in this repository that may hold the lock. */
  processes: { pid: number; command: string }[]
  /** Whether `git.removeLock` can remove it, because no git process is running in this repository. */
  removable: boolean
}

/** Result of an action that overwrites files. `backup`: id for `git.undoDiscard`; null if no file was overwritten. */
export interface GitDiscardResult {
  status: GitStatusSummary
  backup: number | null
  /** Files that were not changed, with reasons, for example because they could not be backed up. */
  skipped: { path: string; why: string }[]
  /** Files that `git.undoDiscard` skipped because they have changed since. Workspace-relative. */
  changed?: string[]
}

/** Where files of a repository are in the workspace, with its other folders. */
type RepositoryPlaces = RepositoryPlace & { others?: readonly RepositoryPlace[] | undefined }

/** Converts a repository path to a workspace-relative one. Null if it is outside the workspace. */
export function toWorkspacePath({ others = [], ...first }: RepositoryPlaces, path: string): string | null {
  for (const { folder, prefix } of [first, ...others]) {
    if (prefix !== undefined && !path.startsWith(`${prefix}/`)) continue
    const inFolder = prefix === undefined ? path : path.slice(prefix.length + 1)
    return folder === '.' ? inFolder : `${folder}/${inFolder}`
  }
  return null
}

/** Converts a workspace-relative path to a repository path. Null if it is not in the repository. */
export function toRepositoryPath({ others = [], ...first }: RepositoryPlaces, path: string): string | null {
  for (const { folder, prefix } of [first, ...others]) {
    if (folder !== '.' && !path.startsWith(`${folder}/`)) continue
    const inFolder = folder === '.' ? path : path.slice(folder.length + 1)
    return prefix === undefined ? inFolder : `${prefix}/${inFolder}`
  }
  return null
}
