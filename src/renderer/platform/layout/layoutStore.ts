import { create } from 'zustand'
import type { ReviewComment } from '../../../shared/review/review.ts'

export type SideBarView = 'explorer' | 'search' | 'git' | 'debug' | 'review' | 'sessions'
export type SidePanel = 'sideBar' | 'chat'
export type PanelView = 'jobs' | 'problems' | 'calls' | 'debug'

/** A comment on a change that has not been sent to the agent yet. */
export interface DraftComment extends ReviewComment {
  id: number
}

export interface LayoutState {
  sideBar: { visible: boolean; view: SideBarView }
  panel: { visible: boolean; view: PanelView }
  /** Groups of jobs that are side by side in the panel: their ids from left to right. */
  terminals: { splits: readonly (readonly string[])[] }
  /** Command lines that were run in terminals, the latest first. */
  recentCommands: readonly string[]
  chat: { visible: boolean }
  /** Zen mode shows the editor alone: what was visible before. Null while it is off. */
  zen: { sideBar: boolean; panel: boolean; chat: boolean } | null
  /** Side panel that a narrow window shows; null for none. In a wide window, the panel that was shown last. */
  front: SidePanel | null
  /** Outline section below the file tree. */
  outline: { open: boolean }
  /** Section with the versions of the active file, below the outline. */
  timeline: { open: boolean }
  /**
   * Git: whether files are in a tree, whether commits are signed off, blame of the current line, and unsent commit
   * messages by repository.
   */
  git: { tree: boolean; signOff: boolean; blame: boolean; messages: Readonly<Record<string, string>> }
  /** Run and debug: watched expressions, the name of the chosen configuration ('' for the active file), folded sections. */
  debug: { watch: readonly string[]; choice: string; folded: readonly string[] }
  /** Instructions of sent inline edits, oldest first. */
  inlineEdit: { instructions: readonly string[] }
  /** Unsent comments on changes, oldest first. `expanded`: whether the review lists the lines of files. */
  review: { comments: readonly DraftComment[]; expanded: boolean }
  /** Sizes in percent of panels that share a group, by group and panel (react-resizable-panels). */
  sizes: Record<string, Record<string, number>>
  /** Sizes of the side panels and the bottom panel in pixels, by panel. */
  pixels: Record<string, number>
}

export const defaultLayout: LayoutState = {
  sideBar: { visible: true, view: 'explorer' },
  panel: { visible: false, view: 'jobs' },
  terminals: { splits: [] },
  recentCommands: [],
  chat: { visible: true },
  zen: null,
  front: 'chat',
  outline: { open: true },
  timeline: { open: false },
  git: { tree: false, signOff: false, blame: false, messages: {} },
  debug: { watch: [], choice: '', folded: ['debuggers'] },
  inlineEdit: { instructions: [] },
  review: { comments: [], expanded: false },
  sizes: {},
  pixels: {},
}

/** Minimum widths of the parts of a window in pixels, from left to right. */
export const minWidths = { activityBar: 48, side: 160, centre: 320, chat: 280 }

/** Minimum width in pixels of a new window that shows the side bar. */
const minWidthForSideBar = 1100

/** Returns the layout for a folder that is opened for the first time. @param width width of the window in pixels */
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

/** Whether the window is too narrow to show the side bar, the editor and the chat side by side. */
const useNarrow = create<{ narrow: boolean }>(() => ({ narrow: false }))

/** Tracks the window's width. @returns a function that stops it */
export function followWindowWidth(): () => void {
  const needed = Object.values(minWidths).reduce((sum, width) => sum + width)
  const query = matchMedia(`(width < ${needed}px)`)
  const update = (): void => useNarrow.setState({ narrow: query.matches })
  update()
  query.addEventListener('change', update)
  return () => query.removeEventListener('change', update)
}

/** Returns which side panels are visible; in a narrow window at most one. */
export function visiblePanels(layout: LayoutState, { narrow }: { narrow: boolean }): Record<SidePanel, boolean> {
  const { sideBar, chat, front } = layout
  return {
    sideBar: sideBar.visible && (!narrow || front === 'sideBar'),
    chat: chat.visible && (!narrow || front === 'chat'),
  }
}

export function isPanelVisible(panel: SidePanel): boolean {
  return visiblePanels(useLayout.getState(), useNarrow.getState())[panel]
}

export function useIsPanelVisible(panel: SidePanel): boolean {
  const width = useNarrow()
  return useLayout((layout) => visiblePanels(layout, width)[panel])
}

export function showSideBar(view: SideBarView): void {
  useLayout.setState({ sideBar: { visible: true, view }, front: 'sideBar' })
}

export function showChat(): void {
  useLayout.setState({ chat: { visible: true }, front: 'chat' })
}

export function toggleSideBar(): void {
  const { sideBar } = useLayout.getState()
  if (isPanelVisible('sideBar')) hide('sideBar', { sideBar: { ...sideBar, visible: false } })
  else showSideBar(sideBar.view)
}

export function toggleChat(): void {
  if (isPanelVisible('chat')) hide('chat', { chat: { visible: false } })
  else showChat()
}

/** Hides a side panel. A narrow window then shows none, and both appear again when it is wider. */
function hide(panel: SidePanel, hidden: Partial<LayoutState>): void {
  if (useNarrow.getState().narrow) useLayout.setState({ front: null })
  else useLayout.setState({ ...hidden, front: panel === 'chat' ? 'sideBar' : 'chat' })
}

/** Shows a view of the bottom panel. */
export function showPanel(view: PanelView): void {
  useLayout.setState({ panel: { visible: true, view } })
}

export function togglePanel(): void {
  useLayout.setState(({ panel }) => ({ panel: { ...panel, visible: !panel.visible } }))
}

/** Hides everything but the editor, or shows again what was visible before. */
export function toggleZenMode(): void {
  useLayout.setState(({ zen, sideBar, panel, chat }) => ({
    zen: zen ? null : { sideBar: sideBar.visible, panel: panel.visible, chat: chat.visible },
    sideBar: { ...sideBar, visible: zen?.sideBar ?? false },
    panel: { ...panel, visible: zen?.panel ?? false },
    chat: { visible: zen?.chat ?? false },
  }))
}

export function toggleOutline(): void {
  useLayout.setState(({ outline }) => ({ outline: { open: !outline.open } }))
}

/** Shows the explorer with its outline expanded. */
export function showOutline(): void {
  showSideBar('explorer')
  useLayout.setState({ outline: { open: true } })
}

export function toggleTimeline(): void {
  useLayout.setState(({ timeline }) => ({ timeline: { open: !timeline.open } }))
}

/** Shows the explorer with its timeline expanded. */
export function showTimeline(): void {
  showSideBar('explorer')
  useLayout.setState({ timeline: { open: true } })
}

export function savePixels(panel: string, pixels: number): void {
  useLayout.setState((state) => ({ pixels: { ...state.pixels, [panel]: pixels } }))
}

export function saveSizes(group: string, sizes: Record<string, number>): void {
  useLayout.setState((state) => ({ sizes: { ...state.sizes, [group]: sizes } }))
}
