import { createSourceControl, type SourceControl, type SourceControlDeps } from '../git/view/sourceControl.ts'
import type { Review } from '../review/reviewTypes.ts'
import type { SessionDeps } from './workspaceSession.ts'

/** Creates the git view. It reports commits to the review, which ends the changes that they contain. */
export function createReviewedSourceControl(
  deps: Pick<SourceControlDeps, 'workspace' | 'isTrusted' | 'isSecret' | 'files' | 'credentials'>,
  review: Pick<Review, 'committed' | 'committing'>,
  { emit }: Pick<SessionDeps, 'emit'>,
): SourceControl {
  const sourceControl = createSourceControl({
    ...deps,
    onRepositories: (repositories) => emit('git.repositoriesChanged', repositories),
    onStatus(status) {
      emit('git.changed', { status })
      review.committed()
    },
    onProgress: (progress) => emit('git.progress', progress),
    onProblem: (message) => emit('notice', { level: 'warning', message }),
  })
  return {
    ...sourceControl,
    async commit(...args) {
      const ended = review.committing()
      let hash: string | undefined
      try {
        const committed = await sourceControl.commit(...args)
        hash = committed.hash
        return committed
      } finally {
        ended(hash)
      }
    },
  }
}
