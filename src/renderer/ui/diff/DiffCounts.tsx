import { plural } from '../../../shared/text/plural.ts'
import './diff.css'

/** Shows counts as `+12 −3`, with a description for screen readers. */
export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="diff-counts" role="img" aria-label={`${plural(added, 'line')} added, ${removed} removed`}>
      <span className="diff-count-added">+{added}</span>
      <span className="diff-count-removed">−{removed}</span>
    </span>
  )
}
