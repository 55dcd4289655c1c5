import type { editor } from 'monaco-editor'
import type { ComponentType } from 'react'
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

/** The bar of a diff; nothing for a diff without a source. */
export function DiffToolbar(props: DiffToolbarProps) {
  const { source } = props.tab
  const Toolbar = source && toolbars[source.feature]
  return Toolbar && <Toolbar {...props} />
}
