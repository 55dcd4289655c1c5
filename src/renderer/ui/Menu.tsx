import { Fragment, useEffect, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react'
import { createPortal } from 'react-dom'
import { Icon } from './Icon.tsx'

export interface MenuItem {
  id: string
  label: string
  icon?: string
  shortcut?: string
  disabled?: boolean
  danger?: boolean
  /** State of a checkbox item. Absent for other items. */
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

/** Minimum distance to the edges of the viewport in pixels. */
const margin = 8

/** Returns the position of a menu in the viewport: below the anchor, or above it if there is no space. */
function menuPosition(anchor: MenuAnchor, width: number, height: number): { left: number; top: number } {
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
 * Closes a menu when the user clicks or focuses something else or leaves the window, and when the window is resized.
 */
function useDismiss(menu: RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const dismiss = (event: Event) => {
      if (event.target instanceof Node && menu.current && !menu.current.contains(event.target)) close.current()
    }
    const leave = () => close.current()
    document.addEventListener('pointerdown', dismiss, true)
    // Another element took the focus, for example a picker.
    document.addEventListener('focusin', dismiss)
    addEventListener('blur', leave)
    addEventListener('resize', leave)
    return () => {
      document.removeEventListener('pointerdown', dismiss, true)
      document.removeEventListener('focusin', dismiss)
      removeEventListener('blur', leave)
      removeEventListener('resize', leave)
    }
  }, [menu])
}

/** Moves the focus within a menu. @returns whether the key is one that moves the focus */
function moveFocus(key: string, menu: HTMLElement | null): boolean {
  const items = [...(menu?.querySelectorAll<HTMLElement>('.ui-menu-item:not(:disabled)') ?? [])]
  const index = items.findIndex((item) => item === document.activeElement)
  const focusItem = (to: number) => items[(to + items.length) % items.length]?.focus()
  if (key === 'ArrowDown') focusItem(index + 1)
  else if (key === 'ArrowUp') focusItem(index < 0 ? -1 : index - 1)
  else if (key === 'Home') focusItem(0)
  else if (key === 'End') focusItem(-1)
  else if (key.length === 1 && key !== ' ') {
    const letter = key.toLowerCase()
    const found = [...items.slice(index + 1), ...items].find((item) =>
      item.textContent?.trim().toLowerCase().startsWith(letter),
    )
    found?.focus()
  } else return false
  return true
}

interface MenuItemButtonProps {
  item: MenuItem
  /** Whether to leave space for an icon. */
  hasIcons: boolean
  onClick: () => void
}

function MenuItemButton({ item, hasIcons, onClick }: MenuItemButtonProps) {
  const { label, icon, shortcut, disabled, danger, checked } = item
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={checked}
      className={`ui-menu-item ${danger ? 'ui-menu-item-danger' : ''}`}
      disabled={disabled}
      tabIndex={-1}
      onClick={onClick}
    >
      {hasIcons && <Icon name={checked === undefined ? (icon ?? 'blank') : checked ? 'check' : 'blank'} />}
      <span className="ui-menu-label">{label}</span>
      {shortcut && <kbd className="ui-kbd">{shortcut}</kbd>}
    </button>
  )
}

/**
 * A menu in the top layer. Arrow keys, Home, End and first letters move the focus, Enter runs an item, Escape and Tab
 * close the menu.
 */
export function Menu({ groups, anchor, label, onClose }: MenuProps) {
  const ref = useRef<HTMLDivElement>(null)
  const previousFocus = useRef(document.activeElement)

  useLayoutEffect(() => {
    const menu = ref.current
    if (!menu) return
    // The DOM of unit tests does not have it.
    menu.showPopover?.()
    const { left, top } = menuPosition(anchor, menu.offsetWidth, menu.offsetHeight)
    menu.style.left = `${left}px`
    menu.style.top = `${top}px`
    menu.querySelector<HTMLElement>('.ui-menu-item:not(:disabled)')?.focus()
  }, [anchor])

  useDismiss(ref, onClose)

  function leave(): void {
    onClose()
    if (previousFocus.current instanceof HTMLElement) previousFocus.current.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape' || event.key === 'Tab') leave()
    else if (!moveFocus(event.key, ref.current)) return
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
              <MenuItemButton
                key={item.id}
                item={item}
                hasIcons={hasIcons}
                onClick={() => {
                  leave()
                  item.run()
                }}
              />
            ))}
          </Fragment>
        ))}
    </div>,
    document.querySelector('dialog[open]') ?? document.body,
  )
}
