import { usePanelRef, type LayoutChangedMeta } from 'react-resizable-panels'
import { savePixels, useLayout } from './layoutStore.ts'

/**
 * A panel that keeps its size in pixels, whatever becomes of the window and of the panels beside it: what the user gave it last.
 * @param id of the panel, also where it is kept under
 * @param start pixels at first
 */
export function useKeptSize(id: string, start: number) {
  const panelRef = usePanelRef()
  return {
    /** Attributes of the `Panel`. */
    panel: {
      id,
      panelRef,
      defaultSize: useLayout.getState().pixels[id] ?? start,
      groupResizeBehavior: 'preserve-pixel-size',
    },
    /** For the group's `onLayoutChanged`. A change that a narrow window forces is not kept. */
    keep({ isUserInteraction }: LayoutChangedMeta): void {
      const pixels = panelRef.current?.getSize().inPixels ?? 0
      if (isUserInteraction && pixels > 0) savePixels(id, Math.round(pixels))
    },
  } as const
}
