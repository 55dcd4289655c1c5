import { usePanelRef, type LayoutChangedMeta } from 'react-resizable-panels'
import { savePixels, useLayout } from './layoutStore.ts'

/**
 * Gives a panel a fixed size in pixels, which is stored with the layout.
 * @param id id of the panel and key of its stored size
 * @param initialPixels size until the user resizes the panel
 */
export function useStoredPanelSize(id: string, initialPixels: number) {
  const panelRef = usePanelRef()
  return {
    /** Props of the `Panel`. */
    panel: {
      id,
      panelRef,
      defaultSize: useLayout.getState().pixels[id] ?? initialPixels,
      groupResizeBehavior: 'preserve-pixel-size',
    },
    /** Handler for the group's `onLayoutChanged`. Ignores changes that the user did not make. */
    saveSize({ isUserInteraction }: LayoutChangedMeta): void {
      if (!isUserInteraction) return
      // The last move of the pointer may not be rendered yet.
      requestAnimationFrame(() => {
        const pixels = panelRef.current?.getSize().inPixels ?? 0
        if (pixels > 0) savePixels(id, Math.round(pixels))
      })
    },
  } as const
}
