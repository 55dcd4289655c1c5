import { VisibleCode } from '../VisibleCode.tsx'
import './diff.css'

interface ReplacedTextProps {
  before: string | undefined
  after: string | undefined
  /** Whether to show them below each other instead of on one line. */
  block?: boolean
}

/** A replacement: the old text struck through, followed by the new text. */
export function ReplacedText({ before, after, block = false }: ReplacedTextProps) {
  return (
    <span className="diff-inline" data-block={block}>
      {before !== undefined && (
        <del>
          {block && <span className="visually-hidden">was </span>}
          <VisibleCode text={before} />
        </del>
      )}
      {after !== undefined && (
        <ins>
          <VisibleCode text={after} />
        </ins>
      )}
    </span>
  )
}
