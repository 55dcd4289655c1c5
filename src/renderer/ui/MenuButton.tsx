import { useRef, useState, type ReactNode } from 'react'
import { IconButton } from './Button.tsx'
import { Menu, type MenuAnchor, type MenuGroup } from './Menu.tsx'

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
  // The click's pointerdown closes the menu. The click itself must not reopen it.
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
