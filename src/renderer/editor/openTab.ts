import { ToolError } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { editorSettings } from '../platform/editor/editorSettings.ts'
import type { OpenOptions } from '../platform/editor/editorService.ts'
import { waitForView, type Position } from '../platform/editor/editorViews.ts'
import { fileTab, type DiffTab, type ShowOptions, type Tab } from '../platform/editor/tabsState.ts'
import {
  activeTab,
  focusTabContent,
  isOpenInTab,
  lastUsedFile,
  listOpenPaths,
  removeTab,
  showTab,
  showToSide,
  splitEditor,
  tabElementId,
  useTabs,
} from '../platform/editor/tabsStore.ts'
import type { SplitDirection } from '../platform/editor/groupLayout.ts'
import { focusChangeCount } from '../platform/layout/focusRegions.ts'
import { attempt, notify } from '../platform/notices.ts'
import { documentName } from './tabTitle.ts'
import { recordVisit, withoutRecording } from './navigationHistory.ts'

/**
 * Opens a file in a tab, optionally at a position. If the file cannot be shown, its tab explains why.
 * A preview uses the preview tab, which the next preview replaces, if the settings allow preview tabs.
 */
export async function openFile(path: string, position?: Position, options: OpenOptions = {}): Promise<void> {
  const moves = focusChangeCount()
  const preview = options.preview === true && editorSettings()?.previewTabs !== false
  // Do not record the cursor position that Monaco restores before the jump.
  const view = await withoutRecording(async () => {
    if (options.toSide) showToSide(fileTab(path))
    else showReplacing(fileTab(path), { preview, reveal: options.reveal ?? editorSettings()?.revealIfOpen })
    const { activeGroup } = useTabs.getState()
    const real = await documents.open(path)
    if (documents.get(real)?.status !== 'ready') return null
    const shown = await waitForView(activeGroup, real)
    if (position) shown?.goTo(position)
    return shown && { ...shown, file: real }
  })
  if (view) recordVisit({ path: view.file, ...view.cursor() })
  if (options.focus === false || moves !== focusChangeCount()) return
  if (view) view.focus()
  else focusTabContent()
}

/** Shows a tab. Closes the document of the preview tab that it replaces. An edit keeps a tab, so no text is lost. */
function showReplacing(tab: Tab, options: ShowOptions): void {
  const previews = useTabs
    .getState()
    .groups.flatMap((group) => group.tabs.filter(({ id }) => id === group.preview && id !== tab.id))
  showTab(tab, undefined, options)
  for (const before of previews) closeIfHidden(before)
}

/**
 * Opens a file for the `editor.open` request. Resolves with the cursor position when the file is visible.
 * @throws ToolError the file's failure, after closing its tab, or `conflict` if the user switched tabs in the meantime
 */
export async function openFileForTool(path: string, position?: Position): Promise<Position> {
  const wasOpen = listOpenPaths().includes(path)
  showTab(fileTab(path), undefined, { reveal: true })
  const { activeGroup } = useTabs.getState()
  await documents.open(path)
  const state = documents.get(path)
  if (state?.status === 'failed' && state.failure) {
    if (!wasOpen) dropTab(activeGroup, fileTab(path))
    throw new ToolError(state.failure.code, state.failure.message, state.failure.next)
  }
  const view = await waitForView(activeGroup, path)
  if (!view)
    throw new ToolError(
      'conflict',
      `${path} was opened, but the user switched to another tab before it was visible.`,
      'Try again.',
    )
  return position ? view.goTo(position) : view.cursor()
}

/** Opens a diff in a tab. `modified: null`: compare with the live text of the open file. */
export function openDiff(diff: Omit<DiffTab, 'kind' | 'id'>): void {
  showTab({ kind: 'diff', id: `diff:${diff.source?.feature ?? ''}:${diff.path}:${diff.title}`, ...diff })
}

/** Opens a diff between the file on disk and the unsaved text of its tab. */
export async function compareWithDisk(path: string): Promise<void> {
  const original = documents.get(path)?.disk === 'new' ? '' : (await request('files.read', { path })).text
  openDiff({
    title: `${documentName(path)} (on disk ↔ unsaved)`,
    path,
    original,
    modified: null,
  })
}

/**
 * Inserts text at the cursor of the most recently used file, replacing its selection. Shows the file first if a page
 * such as the settings covers it. Shows a notice if no file is open.
 */
export function insertAtCursor(text: string): void {
  attempt(() => insertIntoLastUsed(text))
}

async function insertIntoLastUsed(text: string): Promise<void> {
  const target = lastUsedFile()
  if (target) showTab(fileTab(target.path), target.groupId)
  const view =
    target && documents.get(target.path)?.status !== 'failed' ? await waitForView(target.groupId, target.path) : null
  if (!view) {
    notify('warning', 'The text could not be inserted, because no file is open.', {
      detail: 'Open a file, place the cursor, and insert again.',
    })
    return
  }
  const { startColumn, endLine, endColumn } = view.selection()
  // At the start of a line, end the inserted text with a line break so that it does not join the text after the cursor.
  const needsLineBreak = startColumn === 1 && !text.endsWith('\n') && view.lineText(endLine).slice(endColumn - 1) !== ''
  view.replace(view.selection(), needsLineBreak ? `${text}\n` : text)
  view.focus()
}

/** Activates a tab and focuses its text. @param moves `focusChangeCount()` at the time of the user's action */
export async function showAndFocus(tab: Tab, groupId: number, moves = focusChangeCount()): Promise<void> {
  showTab(tab, groupId)
  if (tab.kind !== 'file') return focusTabContent()
  const view = await waitForView(groupId, tab.path)
  if (moves === focusChangeCount()) view?.focus()
}

/** Opens the active tab in a new group and focuses it. */
export async function splitAndFocus(direction: SplitDirection): Promise<void> {
  const moves = focusChangeCount()
  splitEditor(direction)
  const tab = activeTab()
  const { activeGroup } = useTabs.getState()
  if (!tab) return
  // Let a closing menu restore the focus first.
  await new Promise(requestAnimationFrame)
  if (tab.kind === 'file') await showAndFocus(tab, activeGroup, moves)
  else if (moves === focusChangeCount()) document.getElementById(tabElementId(activeGroup, tab.id))?.focus()
}

/** Removes a tab without a prompt. Closes its document if no other tab shows it. */
export function dropTab(groupId: number, tab: Tab): void {
  removeTab(groupId, tab.id)
  closeIfHidden(tab)
}

function closeIfHidden(tab: Tab): void {
  if (tab.kind !== 'page' && documents.get(tab.path) && !isOpenInTab(tab.path)) documents.close(tab.path)
}
