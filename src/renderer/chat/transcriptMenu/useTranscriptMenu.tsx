import { useState, type MouseEvent, type ReactNode } from 'react'
import { Menu, type MenuAnchor, type MenuGroup } from '../../ui/index.ts'
import { transcriptMenuGroups, transcriptTarget } from './transcriptMenu.ts'

/** The transcript's context menu. @returns the handler for the transcript, and the open menu to render */
export function useTranscriptMenu(): { onContextMenu: (event: MouseEvent) => void; menu: ReactNode } {
  const [open, setOpen] = useState<{ anchor: MenuAnchor; groups: readonly MenuGroup[] } | null>(null)

  function onContextMenu(event: MouseEvent): void {
    const target = event.target instanceof Element ? transcriptTarget(event.target, event.currentTarget) : undefined
    if (!target) return
    event.preventDefault()
    setOpen({ anchor: { x: event.clientX, y: event.clientY }, groups: transcriptMenuGroups(target) })
  }

  return {
    onContextMenu,
    menu: open && (
      <Menu groups={open.groups} anchor={open.anchor} label="Message actions" onClose={() => setOpen(null)} />
    ),
  }
}
