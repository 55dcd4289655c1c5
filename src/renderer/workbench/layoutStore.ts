import { create } from 'zustand'

export type SideBarView = 'explorer' | 'search'

export interface LayoutState {
  sideBar: { visible: boolean; view: SideBarView }
  panel: { visible: boolean }
  chat: { visible: boolean }
  /** Panel sizes in percent, by group and panel (react-resizable-panels). */
  sizes: Record<string, Record<string, number>>
}

export const defaultLayout: LayoutState = {
  sideBar: { visible: true, view: 'explorer' },
  panel: { visible: false },
  chat: { visible: true },
  sizes: {},
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

export function saveSizes(group: string, sizes: Record<string, number>): void {
  useLayout.setState((state) => ({ sizes: { ...state.sizes, [group]: sizes } }))
}
