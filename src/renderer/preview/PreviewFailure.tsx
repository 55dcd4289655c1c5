import type { Failure } from '../../shared/errors.ts'
import { EmptyState } from '../ui/index.ts'

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
