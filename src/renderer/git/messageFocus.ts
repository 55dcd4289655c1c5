import { isPanelVisible, showSideBar, useLayout } from '../platform/layout/layoutStore.ts'
import { focusRegionNamed } from '../platform/layout/focusRegions.ts'

/** DOM id of the field for the commit message. */
export const messageFieldId = 'git-message'

/** Whether the field takes the focus when it appears, because the view was opened before it loaded. */
let isWanted = false

/** Shows the view and focuses the message. */
export function showGitView(): void {
  const wasShown = isPanelVisible('sideBar') && useLayout.getState().sideBar.view === 'git'
  isWanted = true
  showSideBar('git')
  if (wasShown) {
    takeMessageFocus()
    if (isWanted) focusRegionNamed('side-bar')
    isWanted = false
  }
}

/** Focuses the field if the view was opened before the field existed. */
export function takeMessageFocus(): void {
  const field = document.getElementById(messageFieldId)
  if (!isWanted || !field) return
  isWanted = false
  field.focus()
}
