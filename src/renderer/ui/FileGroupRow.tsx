import { visibleText } from '../../shared/text/visibleText.ts'
import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import { FileIcon } from './FileIcon.tsx'

interface FileGroupRowProps {
  id: string
  path: string
  folded: boolean
  active: boolean
  /** Number of rows below the file. */
  count: number
  /** What the number counts, for screen readers. */
  counted: string
  onClick: () => void
  /** Controls at the end of the row. */
  children?: ReactNode
}

/**
 * A file in a tree of findings. The tree has the class `ui-finding-tree`, and the rows below a file `ui-finding-row
 * ui-finding-child`.
 */
export function FileGroupRow({ id, path, folded, active, count, counted, onClick, children }: FileGroupRowProps) {
  const slash = path.lastIndexOf('/')
  return (
    <div
      id={id}
      className="ui-finding-row"
      role="treeitem"
      aria-level={1}
      aria-expanded={!folded}
      aria-selected={active}
      title={path}
      onClick={onClick}
    >
      <Icon name={folded ? 'chevron-right' : 'chevron-down'} className="ui-twistie" />
      <FileIcon path={path} />
      <span className="ui-finding-path">
        <span className="ui-finding-name" dir="ltr">
          {visibleText(path.slice(slash + 1))}
        </span>
        {slash >= 0 && <span className="ui-finding-folder">{visibleText(path.slice(0, slash))}</span>}
      </span>
      <span className="ui-badge">
        {count} <span className="visually-hidden">{counted}</span>
      </span>
      {children}
    </div>
  )
}
