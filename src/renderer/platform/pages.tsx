import type { ComponentType } from 'react'

/** Pages that open in a tab of the editor area. */
export type PageName = 'settings' | 'console' | 'gitLog' | 'keymap' | 'modelCheck' | 'settingsJson'

const pages: Partial<Record<PageName, ComponentType>> = {}

/** Registers the component of a page. app/lazyViews.tsx registers all pages at start. */
export function contributePage(name: PageName, page: ComponentType): void {
  pages[name] = page
}

const saves = new Map<PageName, () => Promise<unknown>>()

/** Registers what "Save" does while a page is active. @returns a function that unregisters it */
export function registerPageSave(page: PageName, save: () => Promise<unknown>): () => void {
  saves.set(page, save)
  return () => {
    if (saves.get(page) === save) saves.delete(page)
  }
}

/** What "Save" does on a page; undefined if it has nothing to save. */
export const pageSave = (page: PageName): (() => Promise<unknown>) | undefined => saves.get(page)

/** The content of a page tab. */
export function PageHost({ page }: { page: PageName }) {
  const Page = pages[page]
  return <div className="workbench-page">{Page && <Page />}</div>
}
