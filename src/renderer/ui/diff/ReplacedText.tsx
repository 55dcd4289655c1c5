import { VisibleCode } from '../VisibleCode.tsx'
import './diff.css'

interface ReplacedTextProps {
  before: string | undefined
  after: string | undefined
  /** Shows them below each other instead of within a line. */
  block?: boolean
}

/** A replacement: the old text struck through, and the new one after it. */
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
