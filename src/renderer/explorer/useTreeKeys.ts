import { useRef, type KeyboardEvent } from 'react'
import type { FileEntry } from '../../shared/files/files.ts'
import { runCommand } from '../platform/commands.ts'
import { isMac } from '../platform/keymap/keyNotation.ts'
import { attempt } from '../platform/notices.ts'
import { openOrToggle, openToSide, cancelEdit, copyEntries, startRename } from './explorerActions.ts'
import { deleteEntries } from './deleteEntry.ts'
import { emptyClipboard, useFileClipboard } from './fileClipboard.ts'
import { extendSelection, selectAll, selectedPaths } from './selection.ts'
import { undoLastStep } from './undoSteps.ts'
import { paste, pasteFolder } from './transfers.ts'
import { entryOf, tree, isFolder, isTopFolder, parentOf, rootPath, useTree, type TreeRow } from './fileTree.ts'

/** The letter pressed with Ctrl, or Cmd on macOS. */
function letterWithModifier({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): string | null {
  return (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !shiftKey && !altKey ? key.toLowerCase() : null
}

const filesOf = (paths: readonly string[]): string[] =>
  paths.filter((path) => {
    const entry = entryOf(path)
    return entry !== undefined && !isFolder(entry)
  })

interface TreeKeysOptions {
  rows: readonly TreeRow[]
  /** Index of the selected row; -1 if there is none. */
  activeIndex: number
  /** Opens the context menu of the selected entry, or of the tree. */
  onMenu: (entry: FileEntry | undefined) => void
}

/** Milliseconds after which typed letters start a new search. */
const typeAheadMs = 800
const pageRows = 15

/**
 * Keys of the file tree. Arrow keys navigate, Enter opens, Ctrl+Enter opens to the side, F2 renames, Delete deletes (Shift+Delete permanently),
 * Ctrl+X, Ctrl+C and Ctrl+V cut, copy and paste, Ctrl+Z undoes, and letters jump to a name. Shift with arrow keys and
 * Ctrl+A select several entries.
 */
export function useTreeKeys({ rows, activeIndex, onMenu }: TreeKeysOptions): (event: KeyboardEvent) => void {
  const { expanded, edit } = useTree()
  const typed = useRef({ text: '', at: 0 })

  function selectRow(index: number, step: 1 | -1, extend = false): void {
    for (let at = index; at >= 0 && at < rows.length; at += step) {
      const row = rows[at]
      if (row?.kind === 'entry') return extend ? extendSelection(row.entry.path) : tree.select(row.entry.path)
    }
  }

  function onLetter(letter: string | null): boolean {
    if (letter === 'z') undoLastStep()
    else if (letter === 'a') selectAll()
    else if (letter === 'c' || letter === 'x') copyEntries(selectedPaths(), letter === 'x')
    else if (letter === 'v')
      attempt(() => paste(pasteFolder(useTree.getState().selected)), 'Some items could not be pasted')
    else return false
    return true
  }

  function typeAhead(key: string): void {
    const now = performance.now()
    typed.current = {
      text: now - typed.current.at < typeAheadMs ? typed.current.text + key.toLowerCase() : key.toLowerCase(),
      at: now,
    }
    const { text } = typed.current
    const start = Math.max(0, activeIndex + (text.length === 1 ? 1 : 0))
    const match = (row: TreeRow) => row.kind === 'entry' && row.entry.name.toLowerCase().startsWith(text)
    const offset = rows.slice(start).findIndex(match)
    const index = offset >= 0 ? start + offset : rows.findIndex(match)
    if (index >= 0) selectRow(index, 1)
  }

  /** Offers to remove a folder of the workspace, which is not deleted. */
  function deleteSelected(entry: FileEntry, permanently: boolean): void {
    const selection = selectedPaths()
    if (selection.length === 1 && isTopFolder(entry.path)) return void runCommand('workspace.removeFolder', entry.path)
    const entries = selection.flatMap((path) => (isTopFolder(path) ? [] : (entryOf(path) ?? [])))
    attempt(() => deleteEntries(entries, { permanently }), `${entry.name} could not be deleted`)
  }

  return function onKeyDown(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement) return
    const row = rows[activeIndex]
    const entry = row?.kind === 'entry' ? row.entry : undefined
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.key === 'ArrowDown') selectRow(activeIndex + 1, 1, event.shiftKey)
    else if (event.key === 'ArrowUp') selectRow(activeIndex < 0 ? rows.length - 1 : activeIndex - 1, -1, event.shiftKey)
    else if (event.key === 'Home') selectRow(0, 1)
    else if (event.key === 'End') selectRow(rows.length - 1, -1)
    else if (event.key === 'PageDown') selectRow(Math.min(rows.length - 1, activeIndex + pageRows), -1)
    else if (event.key === 'PageUp') selectRow(Math.max(0, activeIndex - pageRows), 1)
    else if (event.key === 'ArrowRight' && entry && isFolder(entry)) {
      if (expanded.has(entry.path)) selectRow(activeIndex + 1, 1)
      else attempt(() => tree.expand(entry.path))
    } else if (event.key === 'ArrowLeft' && entry) {
      if (isFolder(entry) && expanded.has(entry.path)) tree.collapse(entry.path)
      else if (parentOf(entry.path) !== rootPath) tree.select(parentOf(entry.path))
    } else if (event.key === 'Enter' && entry && !isFolder(entry) && (isMac ? event.metaKey : event.ctrlKey))
      openToSide(filesOf(selectedPaths()))
    else if ((event.key === 'Enter' || event.key === ' ') && entry)
      openOrToggle(entry, { focus: event.key === 'Enter' })
    else if (event.key === 'F2' && entry) startRename(entry)
    else if (event.key === 'Escape' && edit) cancelEdit()
    else if (event.key === 'Delete' && entry) deleteSelected(entry, event.shiftKey)
    else if (onLetter(letterWithModifier(event))) event.stopPropagation()
    else if (event.key === 'Escape') {
      useFileClipboard.setState(emptyClipboard)
      if (entry) tree.select(entry.path)
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      onMenu(entry)
    } else if (plain && event.key.length === 1) typeAhead(event.key)
    else return
    event.preventDefault()
  }
}
