import { create } from 'zustand'

export type SideBarView = 'explorer' | 'search'

export interface LayoutState {
  sideBar: { visible: boolean; view: SideBarView }
  panel: { visible: boolean }
  chat: { visible: boolean }
  /** A section below the explorer's files. */
  outline: { open: boolean }
  /** Shares in percent of panels that are equals, by group and panel (react-resizable-panels). */
  sizes: Record<string, Record<string, number>>
  /** Pixels of the panels beside and below, by panel. */
  pixels: Record<string, number>
}

export const defaultLayout: LayoutState = {
  sideBar: { visible: true, view: 'explorer' },
  panel: { visible: false },
  chat: { visible: true },
  outline: { open: true },
  sizes: {},
  pixels: {},
}

/** Narrower than this, a window that is opened for the first time starts without the side bar, in pixels. */
const sideBarFrom = 1100

/** Pure: the layout of a folder's first window. @param width of the window, in pixels */
export function firstLayout(width: number): LayoutState {
  return { ...defaultLayout, sideBar: { ...defaultLayout.sideBar, visible: width >= sideBarFrom } }
}

/**
 * Pure: the pixels that the side bar and the chat start with. In a narrow window they take a share, so that the editor
 * keeps the most. @param width of the window, in pixels
 */
export function startSizes(width: number): { side: number; chat: number } {
  const share = (part: number, least: number, most: number) => Math.round(Math.min(most, Math.max(least, width * part)))
  return { side: share(0.19, 180, 260), chat: share(0.31, 300, 400) }
}

export const useLayout = create<LayoutState>(() => defaultLayout)

export function showSideBar(view: SideBarView): void {
  useLayout.setState({ sideBar: { visible: true, view } })
}

export function toggleSideBar(): void {
  useLayout.setState(({ sideBar }) => ({ sideBar: { ...sideBar, visible: !sideBar.visible } }))
}

/** The bottom panel with jobs and terminals. */
export function showPanel(visible = true): void {
  useLayout.setState({ panel: { visible } })
}

export function showChat(visible = true): void {
  useLayout.setState({ chat: { visible } })
}

export function togglePanel(): void {
  showPanel(!useLayout.getState().panel.visible)
}

export function toggleChat(): void {
  showChat(!useLayout.getState().chat.visible)
}

export function toggleOutline(): void {
  useLayout.setState(({ outline }) => ({ outline: { open: !outline.open } }))
}

/** The explorer with its outline unfolded. */
export function showOutline(): void {
  useLayout.setState({ sideBar: { visible: true, view: 'explorer' }, outline: { open: true } })
}

export function savePixels(panel: string, pixels: number): void {
  useLayout.setState((state) => ({ pixels: { ...state.pixels, [panel]: pixels } }))
}

export function saveSizes(group: string, sizes: Record<string, number>): void {
  useLayout.setState((state) => ({ sizes: { ...state.sizes, [group]: sizes } }))
}
