import type { ComponentType } from 'react'

/** Pages that open as a tab of the editor area. */
export type PageName = 'settings' | 'console'

const pages: Partial<Record<PageName, ComponentType>> = {}

/** Adds the content of a page. app/lazyViews.tsx contributes all of them before the first one opens. */
export function contributePage(name: PageName, page: ComponentType): void {
  pages[name] = page
}

/** A page as a tab shows it. */
export function PageHost({ page }: { page: PageName }) {
  const Page = pages[page]
  return <div className="workbench-page">{Page && <Page />}</div>
}
