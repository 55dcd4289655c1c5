import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type HTMLAttributes, type ReactNode, type Ref } from 'react'

interface VirtualListProps<T> extends Omit<HTMLAttributes<HTMLDivElement>, 'children'> {
  items: readonly T[]
  /** Height of every row in pixels. A function returns estimates of heights that are then measured. */
  rowHeight: number | ((item: T) => number)
  keyOf: (item: T, index: number) => string | number
  renderRow: (item: T, index: number) => ReactNode
  /** Index of the row to scroll into view when it changes. */
  activeIndex?: number
  ref?: Ref<HTMLDivElement>
}

/** A scrolling list that renders only visible rows. Pass `role`, `aria-label` and key handlers as attributes. */
export function VirtualList<T>({
  items,
  rowHeight,
  keyOf,
  renderRow,
  activeIndex,
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
  useEffect(() => {
    if (activeIndex !== undefined && activeIndex >= 0) virtualizer.scrollToIndex(activeIndex, { align: 'auto' })
  }, [activeIndex, virtualizer])
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
