import type { ComponentType } from 'react'
import type { SideBarView } from '../platform/layout/layoutStore.ts'
import { SearchPanel } from '../search/SearchPanel.tsx'
import { ReviewPanel } from '../review/ReviewPanel.tsx'
import { LazyGitView } from './lazyViews.tsx'
import { ExplorerView } from './ExplorerView.tsx'

/** The views of the side bar. `title` is the accessible name. */
export const sideBarViews: Record<SideBarView, { title: string; Component: ComponentType }> = {
  explorer: { title: 'Explorer', Component: ExplorerView },
  review: { title: 'Review', Component: ReviewPanel },
  search: { title: 'Search', Component: SearchPanel },
  git: { title: 'Source control', Component: LazyGitView },
}
