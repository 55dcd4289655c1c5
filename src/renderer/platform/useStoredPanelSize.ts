import { usePanelRef, type LayoutChangedMeta } from 'react-resizable-panels'
import { savePixels, useLayout } from './layoutStore.ts'

/**
 * Keeps the size of a panel in pixels when the window or other panels are resized.
 * @param id id of the panel and key of its stored size
 * @param start initial size in pixels
 */
export function useStoredPanelSize(id: string, start: number) {
  const panelRef = usePanelRef()
  return {
    /** Props of the `Panel`. */
    panel: {
      id,
      panelRef,
      defaultSize: useLayout.getState().pixels[id] ?? start,
      groupResizeBehavior: 'preserve-pixel-size',
    },
    /** Handler for the group's `onLayoutChanged`. Ignores changes that a narrow window causes. */
    keep({ isUserInteraction }: LayoutChangedMeta): void {
      const pixels = panelRef.current?.getSize().inPixels ?? 0
      if (isUserInteraction && pixels > 0) savePixels(id, Math.round(pixels))
    },
  } as const
}
