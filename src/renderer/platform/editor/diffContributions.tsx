import type { editor } from 'monaco-editor'
import type { ComponentType, ReactNode } from 'react'
import type { DiffPosition } from './diffPosition.ts'
import type { DiffFeature, DiffTab } from './tabsState.ts'

export interface DiffActionsProps {
  tab: DiffTab
  /** The diff editor; null while it loads, and for an added or deleted file, which is shown as one text. */
  diffEditor: editor.IStandaloneDiffEditor | null
  /** The editor of an added file, which is shown as one text. All of its lines are one hunk. */
  addedEditor: editor.IStandaloneCodeEditor | null
  /** The hunks of the diff, and the cursor's position among them. */
  position: DiffPosition
}

const actions: Partial<Record<DiffFeature, ComponentType<DiffActionsProps>>> = {}

/** Registers the actions that a feature adds to the bar above its diffs (`DiffTab.source`). */
export function contributeDiffActions(feature: DiffFeature, component: ComponentType<DiffActionsProps>): void {
  actions[feature] = component
}

export interface DiffViewProps {
  tab: DiffTab
}

const views: Partial<Record<DiffFeature, ComponentType<DiffViewProps>>> = {}

/** Registers a view that replaces the diff editor for a feature's diffs, for example the conflict editor. */
export function contributeDiffView(feature: DiffFeature, view: ComponentType<DiffViewProps>): void {
  views[feature] = view
}

/** Renders the view that a feature registered for its diffs, or `fallback`. */
export function DiffViewHost({ tab, fallback }: DiffViewProps & { fallback: ReactNode }) {
  const View = tab.source && views[tab.source.feature]
  return View ? <View tab={tab} /> : fallback
}

/** Renders the actions that a feature registered for its diffs; nothing for a diff without a source. */
export function DiffActionsHost(props: DiffActionsProps) {
  const { source } = props.tab
  const Actions = source && actions[source.feature]
  return Actions && <Actions {...props} />
}
