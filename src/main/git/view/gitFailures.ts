import { stripVTControlCharacters } from 'node:util'
import { asSentence } from '../../base/asSentence.ts'
import type { GitFailureReason } from '../../../shared/git/git.ts'
import { ToolError, type ToolErrorCode } from '../../../shared/errors.ts'
import { decodeGitText } from '../gitText.ts'
import type { GitResult } from '../gitProcess.ts'

interface Cause {
  output: RegExp
  /** Undefined if the window offers no next step for it. */
  reason?: GitFailureReason
  code: ToolErrorCode
  why: string
  next: string
}

/** Causes by git's output in the C locale. The first match applies. */
const causes: readonly Cause[] = [
  {
    output: /' exists; cannot create '/,
    code: 'conflict',
    why: 'The name of one branch or tag would be a folder of another, such as "feature" and "feature/x". Git cannot have both.',
    next: 'Choose another name, or rename or delete the other one. If a fetch failed, run "git fetch --prune" in the terminal: it removes remote branches that no longer exist.',
  },
  {
    output: /Unable to create '[^'\n]*\.lock'|index\.lock|another git process seems to be running|cannot lock ref/i,
    reason: 'locked',
    code: 'conflict',
    why: 'Another Git process is using the repository, or one was interrupted and left its lock file behind.',
    next: 'Wait until it has ended. If no Git process is running, remove the lock file.',
  },
  {
    output:
      /tell me who you are|Author identity unknown|Committer identity unknown|empty ident|unable to auto-detect email/i,
    reason: 'no_identity',
    code: 'conflict',
    why: 'Git does not know your name and email address.',
    next: 'Set them, or run "git config --global user.name" and "git config --global user.email" in the terminal.',
  },
  {
    output:
      /gpg failed to sign|failed to sign the data|signing failed|error: gpg|Couldn't load public key|No private key found|unable to sign the tag|error: Load key/i,
    reason: 'signing_failed',
    code: 'io_error',
    why: 'The commit or tag could not be signed.',
    next: 'Check the signing key and its program (user.signingKey, gpg.program), or turn off commit.gpgSign.',
  },
  {
    output: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    reason: 'host_key_unknown',
    code: 'network_error',
    why: 'The host key was not accepted.',
    next: 'Compare the fingerprint with the one that the host publishes, then connect once with ssh in the terminal.',
  },
  {
    output: /could not read (?:Username|Password)|terminal prompts disabled/i,
    reason: 'authentication_failed',
    code: 'permission_denied',
    why: 'The server needs a user name and password, and none were entered.',
    next: 'Try again and enter them. Many servers need an access token in place of the password.',
  },
  {
    output:
      /Authentication failed|Permission denied \(|Invalid username or (?:password|token)|HTTP Basic: Access denied|The requested URL returned error: 40[13]/i,
    reason: 'authentication_failed',
    code: 'permission_denied',
    why: 'The server did not accept the user name, password or key.',
    next: 'Try again with other credentials. Many servers need an access token in place of the password.',
  },
  {
    output: /Updates were rejected because the tag already exists/i,
    code: 'conflict',
    why: 'The remote has a tag of the same name on another commit. Other tags and the branch may have been pushed.',
    next: 'Rename or delete your tag, then push again. The details show its name.',
  },
  {
    output: /\((?:fetch first|non-fast-forward|stale info|remote ref updated since checkout)\)|Updates were rejected/i,
    reason: 'push_rejected',
    code: 'conflict',
    why: 'The remote branch has commits that are not here.',
    next: 'Pull first, then push again.',
  },
  {
    output: /\[remote rejected\]|pre-receive hook declined|protected branch|remote: error: GH\d+/i,
    reason: 'push_refused_by_server',
    code: 'refused',
    why: 'The server does not accept these commits.',
    next: "Show the details to see the server's reason. The branch may be protected.",
  },
  {
    output: /has no upstream branch|no tracking information|There is no tracking/i,
    reason: 'no_upstream',
    code: 'conflict',
    why: 'The branch has no upstream branch.',
    next: 'Publish the branch first.',
  },
  {
    output:
      /No configured push destination|No remote repository specified|does not appear to be a git repository|No such remote/i,
    reason: 'no_remote',
    code: 'not_found',
    why: 'The remote does not exist.',
    next: 'Add one with "git remote add" in the terminal, or check its address.',
  },
  {
    output:
      /Need to specify how to reconcile divergent|Not possible to fast-forward|Diverging branches can't be fast-forwarded/i,
    reason: 'diverged',
    code: 'conflict',
    why: 'Both your branch and the remote branch have new commits.',
    next: 'Pull with merge or with rebase.',
  },
  {
    output: /untracked working tree files would be (?:overwritten|removed)|already exists, no checkout/i,
    reason: 'untracked_files',
    code: 'conflict',
    why: 'Untracked files would be overwritten. Nothing was changed.',
    next: 'Commit, move or delete these files first.',
  },
  {
    output:
      /local changes (?:to the following files )?would be overwritten|commit your changes or stash them|cannot (?:pull with rebase|rebase|switch): You have unstaged changes|You have unstaged changes|Your index contains uncommitted changes|uncommitted changes/i,
    reason: 'local_changes',
    code: 'conflict',
    why: 'Your changes would be overwritten. Nothing was changed.',
    next: 'Commit or stash your changes first.',
  },
  {
    output:
      /have unmerged files|unmerged (?:files|paths)|needs merge|Committing is not possible because you have unmerged|you need to resolve your current index first/i,
    reason: 'conflicts',
    code: 'conflict',
    why: 'There are unresolved conflicts.',
    next: 'Resolve the files under Merge changes and stage them.',
  },
  {
    output:
      /^CONFLICT |Automatic merge failed|could not apply|Resolve all conflicts manually|after resolving the conflicts/im,
    reason: 'conflicts',
    code: 'conflict',
    why: 'Some files changed on both sides.',
    next: 'Resolve the files under Merge changes, then continue, or abort.',
  },
  {
    output: /is not fully merged/i,
    reason: 'unmerged_branch',
    code: 'conflict',
    why: 'The branch has commits that no other branch contains.',
    next: 'Merge it first, or delete it anyway.',
  },
  {
    output: /checked out at|used by worktree at|is already used by/i,
    reason: 'branch_in_use',
    code: 'conflict',
    why: 'The branch is checked out, here or in another worktree.',
    next: 'Switch to another branch there first.',
  },
  {
    output:
      /You have not concluded your|is already in progress|there is already a (?:rebase|cherry-pick)|in the middle of|rebase in progress|already a rebase/i,
    reason: 'operation_in_progress',
    code: 'conflict',
    why: 'Another operation, such as a merge or rebase, is not finished.',
    next: 'Continue or abort it first.',
  },
  {
    output: /this operation must be run in a work tree/i,
    reason: 'bare',
    code: 'refused',
    why: 'A bare repository has no files.',
    next: 'Clone it to work with its files.',
  },
  {
    output:
      /Could not resolve host|Could not read from remote repository|unable to access|Connection (?:refused|timed out|reset)|Network is unreachable|early EOF|the remote end hung up/i,
    reason: 'network',
    code: 'network_error',
    why: 'The remote could not be reached.',
    next: 'Check the address of the remote and the connection.',
  },
  {
    output:
      /does not have any commits yet|ambiguous argument 'HEAD'|bad default revision 'HEAD'|Not a valid object name: 'HEAD'/i,
    reason: 'no_commits',
    code: 'conflict',
    why: 'The repository has no commits yet.',
    next: 'Commit something first.',
  },
  {
    output: /nothing to commit|no changes added to commit|No local changes to save|nothing added to commit/i,
    reason: 'nothing_to_commit',
    code: 'no_change',
    why: 'There is nothing to commit or stash.',
    next: 'Change or stage files first.',
  },
]

/** Returns the result if it succeeded. @param failed sentence such as `The branch could not be created.` */
export function requireGit(failed: string, result: GitResult): GitResult {
  if (result.code === 0 || result.truncated) return result
  throw gitFailure(failed, result)
}

/** Returns the error for a failed run: its cause if known, with git's output as details. */
export function gitFailure(
  failed: string,
  { code, output, stderr }: Pick<GitResult, 'code' | 'output' | 'stderr'>,
): ToolError {
  // Hooks may print colors.
  const detail = [stderr, decodeGitText(output).trim().slice(-4000)]
    .filter((text) => text !== '')
    .map(stripVTControlCharacters)
    .join('\n')
  const cause = causes.find((each) => each.output.test(detail))
  if (cause)
    return new ToolError(cause.code, `${failed} ${cause.why}`, cause.next, {
      ...(cause.reason !== undefined && { reason: cause.reason }),
      detail,
    })
  const line =
    reasonLine(stripVTControlCharacters(stderr)) ??
    (code === null ? 'Git was stopped by a signal.' : `Git ended with exit code ${code}.`)
  return new ToolError('io_error', `${failed} ${asSentence(line)}`, 'Show the details to see what Git printed.', {
    detail,
  })
}

/** Returns the error for an action that an untrusted folder does not allow. @param restricted a sentence */
export function restrictedFailure(restricted: string): ToolError {
  return new ToolError(
    'untrusted_folder',
    `${restricted} Git could run programs that the repository configures.`,
    'Trust the folder first, or use the terminal.',
    { reason: 'restricted' },
  )
}

/** Returns the line of git's output that states the reason. */
function reasonLine(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim())
  return (lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.find((line) => line !== ''))?.replace(
    /^(?:fatal|error): /,
    '',
  )
}
