import type { Failure } from '../../shared/errors.ts'
import { EmptyState, IconButton } from '../ui/index.ts'

/** Explains why a preview cannot be shown. Reloads automatically when the file changes. */
export function PreviewFailure({ failure }: { failure: Failure }) {
  return failure.code === 'not_found' ? (
    <EmptyState icon="search-stop" title="The file no longer exists">
      It was moved or deleted. The preview returns when the file does.
    </EmptyState>
  ) : (
    <EmptyState icon="error" title="The preview could not be shown">
      {failure.message}
    </EmptyState>
  )
}

/** Buttons that show the previous and the next part of a large file. @param page counted from 0 */
export function PageButtons({ page, last, onPage }: { page: number; last: number; onPage: (page: number) => void }) {
  return (
    <>
      <IconButton
        icon="chevron-left"
        label="Previous megabyte"
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      />
      <IconButton icon="chevron-right" label="Next megabyte" disabled={page >= last} onClick={() => onPage(page + 1)} />
    </>
  )
}
