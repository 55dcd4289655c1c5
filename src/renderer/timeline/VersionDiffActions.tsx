import type { DiffActionsProps } from '../platform/editor/diffContributions.tsx'
import { attempt } from '../platform/notices.ts'
import { HunkActions } from '../ui/diff/HunkActions.tsx'
import { restoreContent, versionOf } from './versionActions.ts'

/** Action of a diff between a version and the current text. */
export function VersionDiffActions({ tab }: DiffActionsProps) {
  const shown = versionOf(tab)
  if (!shown) return null
  const restore = () => attempt(() => restoreContent(shown.path, shown.version))
  return <HunkActions actions={[{ label: 'Restore content', run: restore }]} />
}
