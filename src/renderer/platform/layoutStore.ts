import { create } from 'zustand'
import type { ReviewComment } from '../../shared/review.ts'

export type SideBarView = 'explorer' | 'search' | 'git' | 'review'
export type PanelView = 'jobs' | 'problems' | 'calls'

/** A comment on a change that is not sent to the agent yet. */
export interface DraftComment extends ReviewComment {
  id: number
}

export interface LayoutState {
  sideBar: { visible: boolean; view: SideBarView }
  panel: { visible: boolean; view: PanelView }
  /** Jobs that are side by side in the panel: groups of their ids, from left to right. */
  terminals: { splits: readonly (readonly string[])[] }
  chat: { visible: boolean }
  /** Outline section below the file tree. */
  outline: { open: boolean }
  /**
   * Git: files in a tree or a list, commits with sign-off, blame of the current line, and typed messages by repository.
   */
  git: { tree: boolean; signOff: boolean; blame: boolean; messages: Readonly<Record<string, string>> }
  /** Instructions of inline edits that were sent, oldest first. */
  inlineEdit: { instructions: readonly string[] }
  /** Comments on changes that are not sent yet, oldest first. `expanded`: whether the review lists the lines of files. */
  review: { comments: readonly DraftComment[]; expanded: boolean }
  /** Sizes of panels that share a group equally, in percent, by group and panel (react-resizable-panels). */
  sizes: Record<string, Record<string, number>>
  /** Sizes of the side panels and the bottom panel in pixels, by panel. */
  pixels: Record<string, number>
}

export const defaultLayout: LayoutState = {
  sideBar: { visible: true, view: 'explorer' },
  panel: { visible: false, view: 'jobs' },
  terminals: { splits: [] },
  chat: { visible: true },
  outline: { open: true },
  git: { tree: false, signOff: false, blame: false, messages: {} },
  inlineEdit: { instructions: [] },
  review: { comments: [], expanded: false },
  sizes: {},
  pixels: {},
}

/** Minimum width of a new window in pixels to show the side bar. */
const minWidthForSideBar = 1100

/** Returns the layout of a folder that is opened for the first time. @param width width of the window in pixels */
export function initialLayout(width: number): LayoutState {
  return { ...defaultLayout, sideBar: { ...defaultLayout.sideBar, visible: width >= minWidthForSideBar } }
}

/**
 * Returns the initial widths of the side bar and the chat in pixels, in proportion to the window.
 * @param width width of the window in pixels
 */
export function initialSizes(width: number): { side: number; chat: number } {
  const share = (ratio: number, min: number, max: number) => Math.round(Math.min(max, Math.max(min, width * ratio)))
  return { side: share(0.19, 180, 260), chat: share(0.31, 300, 400) }
}

export const useLayout = create<LayoutState>(() => defaultLayout)

export function showSideBar(view: SideBarView): void {
  useLayout.setState({ sideBar: { visible: true, view } })
}

export function toggleSideBar(): void {
  useLayout.setState(({ sideBar }) => ({ sideBar: { ...sideBar, visible: !sideBar.visible } }))
}

/** Shows a view of the bottom panel. */
export function showPanel(view: PanelView): void {
  useLayout.setState({ panel: { visible: true, view } })
}

export function showChat(visible = true): void {
  useLayout.setState({ chat: { visible } })
}

export function togglePanel(): void {
  useLayout.setState(({ panel }) => ({ panel: { ...panel, visible: !panel.visible } }))
}

export function toggleChat(): void {
  showChat(!useLayout.getState().chat.visible)
}

export function toggleOutline(): void {
  useLayout.setState(({ outline }) => ({ outline: { open: !outline.open } }))
}

/** Shows the explorer with its outline expanded. */
export function showOutline(): void {
  useLayout.setState({ sideBar: { visible: true, view: 'explorer' }, outline: { open: true } })
}

export function savePixels(panel: string, pixels: number): void {
  useLayout.setState((state) => ({ pixels: { ...state.pixels, [panel]: pixels } }))
}

export function saveSizes(group: string, sizes: Record<string, number>): void {
  useLayout.setState((state) => ({ sizes: { ...state.sizes, [group]: sizes } }))
}
