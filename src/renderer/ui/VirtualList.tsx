import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, type HTMLAttributes, type ReactNode, type Ref } from 'react'
import { listPositions, type ListPosition } from './listPositions.ts'

interface VirtualListProps<T> extends Omit<HTMLAttributes<HTMLDivElement>, 'children'> {
  items: readonly T[]
  /** Height of all rows in pixels. A function returns estimates until rows are measured. */
  rowHeight: number | ((item: T) => number)
  keyOf: (item: T, index: number) => string | number
  renderRow: (item: T, index: number) => ReactNode
  /** Index of the row to scroll into view when it changes. */
  activeIndex?: number
  /** Level of a row in a tree. Default: all rows are siblings. */
  levelOf?: (item: T) => number
  ref?: Ref<HTMLDivElement>
}

/** Sets a row's position for screen readers, which cannot count rows because most are not in the page. */
function setPosition(row: Element | null | undefined, { position, size }: ListPosition): void {
  if (!row?.matches('[role=treeitem], [role=option], [role=listitem]')) return
  row.setAttribute('aria-posinset', String(position))
  row.setAttribute('aria-setsize', String(size))
}

/** A scrolling list that renders only visible rows. Pass `role`, `aria-label` and key handlers as attributes. */
export function VirtualList<T>({
  items,
  rowHeight,
  keyOf,
  renderRow,
  activeIndex,
  levelOf,
  className = '',
  ref,
  ...rest
}: VirtualListProps<T>) {
  const scroller = useRef<HTMLDivElement | null>(null)
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      if (typeof rowHeight === 'number') return rowHeight
      const item = items[index]
      return item === undefined ? 0 : rowHeight(item)
    },
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item, index)
    },
    overscan: 12,
  })
  const level = useRef(levelOf)
  level.current = levelOf
  const positions = useMemo(() => listPositions(items.map((item) => level.current?.(item) ?? 1)), [items])
  useEffect(() => {
    if (activeIndex !== undefined && activeIndex >= 0) virtualizer.scrollToIndex(activeIndex, { align: 'auto' })
  }, [activeIndex, virtualizer])
  // After each render, because scrolling renders other rows.
  useLayoutEffect(() => {
    for (const wrapper of scroller.current?.querySelectorAll<HTMLElement>(':scope > div > [data-index]') ?? []) {
      const position = positions[Number(wrapper.dataset.index)]
      if (position) setPosition(wrapper.firstElementChild, position)
    }
  })
  return (
    <div
      ref={(element) => {
        scroller.current = element
        if (typeof ref === 'function') ref(element)
        else if (ref) ref.current = element
      }}
      className={`ui-virtual ${className}`}
      {...rest}
    >
      <div role="presentation" style={{ position: 'relative', height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((row) => {
          const item = items[row.index]
          if (item === undefined) return null
          return (
            <div
              key={row.key}
              ref={typeof rowHeight === 'number' ? undefined : virtualizer.measureElement}
              data-index={row.index}
              role="presentation"
              style={{
                position: 'absolute',
                insetInline: 0,
                top: 0,
                height: typeof rowHeight === 'number' ? rowHeight : undefined,
                transform: `translateY(${row.start}px)`,
              }}
            >
              {renderRow(item, row.index)}
            </div>
          )
        })}
      </div>
    </div>
  )
}
