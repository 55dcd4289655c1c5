import type { ComponentType } from 'react'
import { create } from 'zustand'

/** Pages that open in a tab of the editor area. */
export type PageName =
  | 'settings'
  | 'console'
  | 'extensions'
  | 'firstSteps'
  | 'gitLog'
  | 'keymap'
  | 'modelCheck'
  | 'plugins'
  | 'preview'
  | 'settingsJson'

const pages: Partial<Record<PageName, ComponentType>> = {}

/** Registers the component of a page. app/lazyViews.tsx registers all pages at start. */
export function contributePage(name: PageName, page: ComponentType): void {
  pages[name] = page
}

const saves = new Map<string, () => Promise<unknown>>()

/**
 * Registers what "Save" does while a page or view is active.
 * @param tabId id of its tab
 * @returns a function that unregisters it
 */
export function registerPageSave(tabId: string, save: () => Promise<unknown>): () => void {
  saves.set(tabId, save)
  return () => {
    if (saves.get(tabId) === save) saves.delete(tabId)
  }
}

/** Returns what "Save" does in a tab; undefined if there is nothing to save. */
export const pageSave = (tabId: string): (() => Promise<unknown>) | undefined => saves.get(tabId)

/** Tab ids of pages and views with unsaved changes. */
export const useUnsavedPages = create<Readonly<Record<string, true>>>(() => ({}))

export function setUnsavedPage(tabId: string, unsaved: boolean): void {
  const { [tabId]: marked, ...others } = useUnsavedPages.getState()
  if (unsaved !== (marked ?? false)) useUnsavedPages.setState(unsaved ? { ...others, [tabId]: true } : others, true)
}

/**
 * Ref of a page's control with `data-autofocus`. Takes the focus from the tab's panel, which has it while the page
 * loads.
 */
export function takePageFocus(control: HTMLElement | null): void {
  const panel = control?.closest('[role="tabpanel"]')
  if (panel && panel === document.activeElement) control?.focus({ preventScroll: true })
}

export function PageHost({ page }: { page: PageName }) {
  const Page = pages[page]
  return <div className="workbench-page">{Page && <Page />}</div>
}
