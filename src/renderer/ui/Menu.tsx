import { Fragment, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'

export interface MenuItem {
  id: string
  label: string
  icon?: string
  shortcut?: string
  disabled?: boolean
  danger?: boolean
  /** Makes the item a checkbox and shows a check mark if true. */
  checked?: boolean
  run: () => void
}

/** A group of items. A line separates groups. */
export interface MenuGroup {
  heading?: string
  items: readonly MenuItem[]
}

/** A point in the viewport in pixels, or an element to open below. */
export type MenuAnchor = { x: number; y: number } | { element: Element; align?: 'start' | 'end' }

interface MenuProps {
  groups: readonly MenuGroup[]
  anchor: MenuAnchor
  label: string
  onClose: () => void
}

const margin = 8

function place(anchor: MenuAnchor, width: number, height: number): { left: number; top: number } {
  let left: number
  let top: number
  let above: number
  if ('element' in anchor) {
    const box = anchor.element.getBoundingClientRect()
    left = anchor.align === 'end' ? box.right - width : box.left
    top = box.bottom + 4
    above = box.top - 4 - height
  } else {
    left = anchor.x
    top = anchor.y
    above = anchor.y - height
  }
  if (top + height > innerHeight - margin && above >= margin) top = above
  return {
    left: Math.max(margin, Math.min(left, innerWidth - width - margin)),
    top: Math.max(margin, Math.min(top, innerHeight - height - margin)),
  }
}

/**
 * A menu in the top layer. Arrow keys, Home, End and first letters move the focus, Enter runs an item, Escape and Tab
 * close the menu.
 */
export function Menu({ groups, anchor, label, onClose }: MenuProps) {
  const ref = useRef<HTMLDivElement>(null)
  const before = useRef(document.activeElement)
  const close = useRef(onClose)
  close.current = onClose

  useLayoutEffect(() => {
    const menu = ref.current
    if (!menu) return
    // The DOM of the tests does not have it.
    menu.showPopover?.()
    const { left, top } = place(anchor, menu.offsetWidth, menu.offsetHeight)
    menu.style.left = `${left}px`
    menu.style.top = `${top}px`
    menu.querySelector<HTMLElement>('.ui-menu-item:not(:disabled)')?.focus()
  }, [anchor])

  useEffect(() => {
    const dismiss = (event: Event) => {
      if (event.target instanceof Node && ref.current && !ref.current.contains(event.target)) close.current()
    }
    const blur = () => close.current()
    document.addEventListener('pointerdown', dismiss, true)
    // Another element took the focus, for example a picker.
    document.addEventListener('focusin', dismiss)
    addEventListener('blur', blur)
    return () => {
      document.removeEventListener('pointerdown', dismiss, true)
      document.removeEventListener('focusin', dismiss)
      removeEventListener('blur', blur)
    }
  }, [])

  function leave(): void {
    onClose()
    if (before.current instanceof HTMLElement) before.current.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const items = [...(ref.current?.querySelectorAll<HTMLElement>('.ui-menu-item:not(:disabled)') ?? [])]
    const index = items.findIndex((item) => item === document.activeElement)
    const move = (to: number) => items[(to + items.length) % items.length]?.focus()
    event.stopPropagation()
    if (event.key === 'ArrowDown') move(index + 1)
    else if (event.key === 'ArrowUp') move(index < 0 ? -1 : index - 1)
    else if (event.key === 'Home') move(0)
    else if (event.key === 'End') move(-1)
    else if (event.key === 'Escape' || event.key === 'Tab') leave()
    else if (event.key.length === 1 && event.key !== ' ') {
      const letter = event.key.toLowerCase()
      const found = [...items.slice(index + 1), ...items].find((item) =>
        item.textContent?.trim().toLowerCase().startsWith(letter),
      )
      found?.focus()
    } else return
    event.preventDefault()
  }

  // Blank icons align the labels.
  const hasIcons = groups.some((group) =>
    group.items.some(({ icon, checked }) => icon !== undefined || checked !== undefined),
  )
  return createPortal(
    <div
      ref={ref}
      className="ui-menu"
      role="menu"
      aria-label={label}
      popover="manual"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {groups
        .filter((group) => group.items.length > 0)
        .map((group, index) => (
          <Fragment key={group.heading ?? group.items[0]?.id}>
            {index > 0 && <hr className="ui-menu-divider" />}
            {group.heading && <div className="ui-menu-heading">{group.heading}</div>}
            {group.items.map((item) => (
              <button
                key={item.id}
                type="button"
                role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
                aria-checked={item.checked}
                className={`ui-menu-item ${item.danger ? 'ui-menu-item-danger' : ''}`}
                disabled={item.disabled}
                tabIndex={-1}
                onClick={() => {
                  leave()
                  item.run()
                }}
              >
                {hasIcons && (
                  <Icon name={item.checked === undefined ? (item.icon ?? 'blank') : item.checked ? 'check' : 'blank'} />
                )}
                <span className="ui-menu-label">{item.label}</span>
                {item.shortcut && <kbd className="ui-kbd">{item.shortcut}</kbd>}
              </button>
            ))}
          </Fragment>
        ))}
    </div>,
    document.querySelector('dialog[open]') ?? document.body,
  )
}

interface MenuButtonProps {
  icon: string
  label: string
  groups: () => readonly MenuGroup[]
  align?: 'start' | 'end'
  /** Replaces the icon of the trigger. */
  children?: ReactNode
  className?: string
}

/** A button that opens a menu below itself. */
export function MenuButton({ icon, label, groups, align = 'start', children, className = '' }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<MenuAnchor | null>(null)
  // The menu closes on pointerdown. The click that follows must not open it again.
  const wasOpen = useRef(false)
  const trigger = {
    'aria-haspopup': 'menu' as const,
    'aria-expanded': anchor !== null,
    onPointerDown: () => {
      wasOpen.current = anchor !== null
    },
    onClick: (event: { currentTarget: Element }) => {
      if (wasOpen.current) wasOpen.current = false
      else setAnchor({ element: event.currentTarget, align })
    },
  }
  return (
    <>
      {children ? (
        <button type="button" className={className} aria-label={label} title={label} {...trigger}>
          {children}
        </button>
      ) : (
        <IconButton icon={icon} label={label} className={className} {...trigger} />
      )}
      {anchor && <Menu groups={groups()} anchor={anchor} label={label} onClose={() => setAnchor(null)} />}
    </>
  )
}
