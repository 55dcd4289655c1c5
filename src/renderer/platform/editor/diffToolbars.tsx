import type { editor } from 'monaco-editor'
import type { ComponentType, ReactNode } from 'react'
import type { DiffFeature, DiffTab } from './tabsStore.ts'

export interface DiffToolbarProps {
  tab: DiffTab
  /** The diff editor; null while it loads, and for an added or deleted file, which is shown as one text. */
  diffEditor: editor.IStandaloneDiffEditor | null
}

const toolbars: Partial<Record<DiffFeature, ComponentType<DiffToolbarProps>>> = {}

/** Registers the bar above the diffs of a feature (`DiffTab.source`), for example with actions on a hunk. */
export function contributeDiffToolbar(feature: DiffFeature, toolbar: ComponentType<DiffToolbarProps>): void {
  toolbars[feature] = toolbar
}

export interface DiffViewProps {
  tab: DiffTab
}

const views: Partial<Record<DiffFeature, ComponentType<DiffViewProps>>> = {}

/** Registers a view that replaces the diff editor for the diffs of a feature, for example the conflict editor. */
export function contributeDiffView(feature: DiffFeature, view: ComponentType<DiffViewProps>): void {
  views[feature] = view
}

/** The view that a feature shows for its diff, or `fallback`. */
export function DiffViewHost({ tab, fallback }: DiffViewProps & { fallback: ReactNode }) {
  const View = tab.source && views[tab.source.feature]
  return View ? <View tab={tab} /> : fallback
}

/** The bar of a diff; nothing for a diff without a source. */
export function DiffToolbar(props: DiffToolbarProps) {
  const { source } = props.tab
  const Toolbar = source && toolbars[source.feature]
  return Toolbar && <Toolbar {...props} />
}
