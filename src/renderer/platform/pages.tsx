import type { ComponentType } from 'react'

/** Pages that open in a tab of the editor area. */
export type PageName = 'settings' | 'console' | 'gitLog' | 'keymap'

const pages: Partial<Record<PageName, ComponentType>> = {}

/** Registers the component of a page. app/lazyViews.tsx registers all pages at start. */
export function contributePage(name: PageName, page: ComponentType): void {
  pages[name] = page
}

/** The content of a page tab. */
export function PageHost({ page }: { page: PageName }) {
  const Page = pages[page]
  return <div className="workbench-page">{Page && <Page />}</div>
}
