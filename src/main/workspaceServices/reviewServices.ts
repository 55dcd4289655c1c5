import { ToolError } from '../../shared/errors.ts'
import { createSourceControl, type SourceControl, type SourceControlDeps } from '../git/view/sourceControl.ts'
import { createCheckpoints, type Checkpoints } from '../history/checkpoints/checkpoints.ts'
import type { RestoreTarget } from '../history/checkpoints/restoreTree.ts'
import type { JournalFiles } from '../history/editJournal.ts'
import { createReviewRows } from '../history/storedReviewRows.ts'
import { createReview } from '../review/review.ts'
import { createReviewStore } from '../review/reviewStore.ts'
import type { Review, ReviewDeps } from '../review/reviewTypes.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { FileEncodings } from '../workspace/fileEncodings.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import { createRestoreTarget } from '../workspace/restoreTarget.ts'
import { isTemporaryName } from '../workspace/textFile.ts'
import { createTextCodec, reviewTarget } from './reviewFiles.ts'
import { createReviewedRepositories } from './reviewedRepositories.ts'
import type { SessionDeps } from './workspaceSession.ts'
import type { WorkspaceTrust } from './workspaceTrust.ts'

interface ReviewServicesDeps {
  workspace: Workspace
  buffers: Buffers
  documents: WindowDocuments
  /** The same, for writes that undo a change. */
  restoring: WindowDocuments
  encodings: FileEncodings
  files: FileOperations
  trust: WorkspaceTrust
  unsavedTabs(): { path: string; text: string }[]
  /** Called when a restore or an undo has changed a file. */
  onRestored(path: string): void
  onCallChanges: ReviewDeps['onCallChanges']
}

interface ReviewServices {
  target: RestoreTarget
  checkpoints: Checkpoints
  review: Review
  /** The window's documents. Their saves are reported to the review. */
  windowDocuments: WindowDocuments
  /** The window's file operations. Their moves are reported to the review. */
  windowFiles: FileOperations
  closeReview(): Promise<void>
}

/** Creates the checkpoints and the review of the agent's changes, which share a blob store. */
export function createReviewServices(
  deps: ReviewServicesDeps,
  { db, userData, watch, emit }: Pick<SessionDeps, 'db' | 'userData' | 'watch' | 'emit'>,
): ReviewServices {
  const { workspace, buffers, documents, restoring, encodings, files, trust, unsavedTabs, onRestored } = deps
  const target = createRestoreTarget(workspace, documents, files, onRestored)
  const stored = createCheckpoints({
    db,
    root: workspace.root,
    folders: workspace.folders,
    userData,
    target,
    isTransient: isTemporaryName,
    isOwnData: workspace.isOwnData,
  })
  const codec = createTextCodec(encodings.decode)
  const review = createReview({
    store: createReviewStore({
      rows: createReviewRows(db, workspace.root, workspace.multiRoot?.renamed),
      contents: stored.contents,
      codec,
    }),
    contents: stored.contents,
    codec,
    target: reviewTarget(workspace, restoring, files, target),
    scan: stored.scan,
    latest: stored.latest,
    treeAt: stored.treeAt,
    topFolders: workspace.folders?.map(({ name }) => name),
    trees: stored.trees,
    changesSince: stored.changes,
    ...createReviewedRepositories(workspace, trust.isTrustedFolder),
    watched: watch,
    unsaved: (path) => buffers.get(path)?.text ?? null,
    unsavedTabs,
    onChanged: (paths) => emit('review.changed', { paths }),
    onCallChanges: deps.onCallChanges,
    onProblem: (message) => emit('notice', { level: 'warning', message }),
  })
  const stopReviewing = buffers.onChanged(review.touched)

  return {
    target,
    review,
    checkpoints: {
      ...stored,
      restore: (id, options, signal) =>
        review.restoring(id, (begun) =>
          stored.restore(
            id,
            {
              ...options,
              onBegin(before) {
                options?.onBegin?.(before)
                begun(before)
              },
            },
            signal,
          ),
        ),
    },
    windowDocuments: {
      ...documents,
      async save(path, ...rest) {
        const ended = review.changing()
        try {
          const stamp = await documents.save(path, ...rest)
          review.saved(path)
          return stamp
        } finally {
          ended([])
        }
      },
    },
    windowFiles: {
      ...files,
      async move(from, to, ...rest) {
        const outcome = await files.move(from, to, ...rest)
        review.moved(from, to)
        return outcome
      },
    },
    async closeReview() {
      stopReviewing()
      await review.close()
    },
  }
}

/** Creates the git view. It reports commits to the review, which keeps the changes that they contain. */
export function createReviewedSourceControl(
  deps: Pick<SourceControlDeps, 'workspace' | 'isTrusted' | 'isWithoutHooks' | 'isSecret' | 'files' | 'credentials'>,
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

/** File access of the edit journal, which undoes edits. */
export function journalFiles(workspace: Workspace, documents: WindowDocuments, files: FileOperations): JournalFiles {
  return {
    async read(path) {
      try {
        return (await documents.read(path)).text
      } catch (error) {
        if (error instanceof ToolError && error.code === 'not_found') return null
        throw error
      }
    },
    async write(path, text, mode) {
      const { exists } = await workspace.resolve(path, { missing: 'allow' })
      if (exists) await documents.edit(await documents.read(path), text)
      else await documents.write(path, text)
      if (mode !== undefined) await files.setMode(path, mode)
    },
    remove: async (path) => void (await files.delete(path)),
  }
}
