import { ToolError, toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { editorSettings } from '../platform/editor/editorSettings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { attempt, notify, notifyFailure } from '../platform/notices.ts'
import { focusChangeCount } from '../platform/layout/focusRegions.ts'
import { focusConflictBar } from './conflictStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import {
  activeTab,
  documentPath,
  fileTab,
  focusTabContent,
  isOpenInTab,
  lastUsedFile,
  listOpenPaths,
  removeTab,
  showTab,
  splitRight,
  tabElementId,
  tabPanelId,
  useTabs,
  type DiffTab,
  type Group,
  type Tab,
} from '../platform/editor/tabsStore.ts'
import { withoutRecording, recordVisit } from './navigationHistory.ts'
import type { SaveReason } from './savePreparation.ts'
import { savePreparation } from './windowSavePreparation.ts'
import { waitForView, type Position } from '../platform/editor/editorViews.ts'

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * Opens a file in a tab, optionally at a position. If the file cannot be shown, its tab explains why.
 * @param options `preview`: use the preview tab, which the next preview replaces, if the settings allow preview tabs
 */
export async function openFile(
  path: string,
  position?: Position,
  options: { focus?: boolean; preview?: boolean } = {},
): Promise<void> {
  const moves = focusChangeCount()
  const preview = options.preview === true && editorSettings()?.previewTabs !== false
  // Do not record the cursor position that Monaco restores before the jump.
  const view = await withoutRecording(async () => {
    showReplacing(fileTab(path), preview)
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

/**
 * Opens a file for the `editor.open` request. Resolves with the cursor position when the file is visible.
 * @throws ToolError the file's failure, after closing its tab, or `conflict` if the user switched tabs in the meantime
 */
export async function openFileForTool(path: string, position?: Position): Promise<Position> {
  const wasOpen = listOpenPaths().includes(path)
  showTab(fileTab(path))
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

/** Opens the active tab in a second group and focuses it. */
export async function splitAndFocus(): Promise<void> {
  const moves = focusChangeCount()
  splitRight()
  const tab = activeTab()
  const { activeGroup } = useTabs.getState()
  if (!tab) return
  // Let a closing menu restore the focus first.
  await new Promise(requestAnimationFrame)
  if (tab.kind === 'file') await showAndFocus(tab, activeGroup, moves)
  else if (moves === focusChangeCount()) document.getElementById(tabElementId(activeGroup, tab.id))?.focus()
}

/** Removes a tab without asking. Closes its document if no other tab shows it. */
function dropTab(groupId: number, tab: Tab): void {
  removeTab(groupId, tab.id)
  closeIfHidden(tab)
}

function closeIfHidden(tab: Tab): void {
  if (tab.kind !== 'page' && documents.get(tab.path) && !isOpenInTab(tab.path)) documents.close(tab.path)
}

/**
 * Shows a tab, and closes the document of the preview tab that it replaces. Edited tabs are not previews, so no text is
 * lost.
 */
function showReplacing(tab: Tab, preview: boolean): void {
  const previews = useTabs
    .getState()
    .groups.flatMap((group) => group.tabs.filter(({ id }) => id === group.preview && id !== tab.id))
  showTab(tab, undefined, { preview })
  for (const before of previews) closeIfHidden(before)
}

/** Paths whose unsaved text would be lost with these tabs. Files that are open in another tab lose nothing. */
function unsavedPathsLostBy(tabs: readonly { group: Group; tab: Tab }[]): string[] {
  const closing = new Set(tabs.map(({ group, tab }) => `${group.id} ${tab.id}`))
  const kept = useTabs
    .getState()
    .groups.flatMap((group) => group.tabs.filter((tab) => !closing.has(`${group.id} ${tab.id}`)))
  const keptPaths = new Set(kept.flatMap((tab) => documentPath(tab) ?? []))
  const paths = tabs.flatMap(({ tab }) => {
    const path = documentPath(tab)
    return path !== null && documents.get(path)?.dirty && !keptPaths.has(path) ? [path] : []
  })
  return [...new Set(paths)]
}

/**
 * Asks to save or discard unsaved files.
 * @returns false if the user canceled, a save failed, or the user typed during the save
 */
export async function confirmUnsaved(paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return true
  const [first = ''] = paths
  const choice = await confirm({
    title:
      paths.length === 1
        ? `Save ${baseName(first)} before closing?`
        : `Save ${plural(paths.length, 'file')} before closing?`,
    message: 'Your changes will be lost if you do not save them.',
    items: paths.length > 1 ? paths : [],
    choices: [
      { id: 'discard', label: "Don't save" },
      { id: 'save', label: paths.length === 1 ? 'Save' : 'Save all', variant: 'primary' },
    ],
  })
  if (choice === null) return false
  if (choice === 'discard') return true
  // Text typed during the save is unsaved.
  return (await saveFiles(paths)) && !paths.some((path) => documents.get(path)?.dirty)
}

async function closeTabs(tabs: readonly { group: Group; tab: Tab }[]): Promise<void> {
  if (!(await confirmUnsaved(unsavedPathsLostBy(tabs)))) return
  const { activeElement } = document
  const hadFocus = tabs.some(({ group }) => document.getElementById(tabPanelId(group.id))?.contains(activeElement))
  for (const { group, tab } of tabs) dropTab(group.id, tab)
  const shown = activeTab()
  if (!hadFocus || !shown) return
  // The content below a closed page takes its focus.
  if (shown.kind === 'file') attempt(() => showAndFocus(shown, useTabs.getState().activeGroup))
  else focusTabContent()
}

function tabsWhere(matches: (group: Group, tab: Tab) => boolean): { group: Group; tab: Tab }[] {
  return useTabs
    .getState()
    .groups.flatMap((group) => group.tabs.filter((tab) => matches(group, tab)).map((tab) => ({ group, tab })))
}

export function closeTab(groupId: number, id: string): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => group.id === groupId && tab.id === id))
}

export function closeOthers(groupId: number, id: string): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => group.id === groupId && tab.id !== id))
}

export function closeAll(): Promise<void> {
  return closeTabs(tabsWhere(() => true))
}

export async function closeActiveTab(): Promise<void> {
  const tab = activeTab()
  if (tab) await closeTab(useTabs.getState().activeGroup, tab.id)
}

export async function reopenClosed(): Promise<void> {
  const path = useTabs.getState().closed.at(-1)
  if (path !== undefined) await openFile(path)
}

/**
 * Saves files. Reports failures as notices, and conflicts with the disk in the file's tab.
 * @returns whether all were saved
 */
export async function saveFiles(
  paths: readonly string[],
  { force, reason = 'explicit' }: { force?: boolean; reason?: SaveReason } = {},
): Promise<boolean> {
  let all = true
  for (const path of paths) {
    try {
      const problems = await savePreparation.prepare(path, reason)
      await documents.save(path, { force })
      for (const { error, context } of problems) notifyFailure(error, context)
    } catch (error) {
      all = false
      // The permissions have changed. The bar above the file shows this, and how to change them back.
      if (toFailure(error).code === 'permission_denied') await documents.checkDisk(path)
      if (documents.get(path)?.disk === 'changed') {
        showTab(fileTab(path))
        focusConflictBar(path)
      } else notifyFailure(error, `${path} could not be saved`)
    }
  }
  return all
}

/** Gives the user write permission for a read-only file. */
export async function makeWritable(path: string): Promise<void> {
  await request('files.makeWritable', { path })
  await documents.checkDisk(path)
}

export async function revertFile(path: string): Promise<void> {
  await documents.revert(path)
}

/** Opens a diff between the file on disk and its tab's unsaved text. */
export async function compareWithDisk(path: string): Promise<void> {
  const file = await request('files.read', { path })
  openDiff({ title: `${baseName(path)} (on disk ↔ unsaved)`, path, original: file.text, modified: null })
}
