import type { GitChangeKind } from '../../../shared/git/git.ts'

/** Kinds of changes by the letter of git (git-status(1), git-diff(1)). */
export const changeKinds: Partial<Record<string, GitChangeKind>> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
}
