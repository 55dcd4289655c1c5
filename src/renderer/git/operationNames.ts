import type { GitOperationKind } from '../../shared/git/git.ts'

/** Names of the operations in sentences. */
export const operationNames: Record<GitOperationKind, string> = {
  merge: 'merge',
  rebase: 'rebase',
  cherry_pick: 'cherry-pick',
  revert: 'revert',
  bisect: 'bisect',
  apply_mailbox: 'patch series',
}
