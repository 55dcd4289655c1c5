import { useState, type DragEvent } from 'react'
import { create } from 'zustand'
import { request } from '../platform/bridge/bridge.ts'
import { absolutePathOf } from '../platform/appState.ts'
import type { SplitDirection } from '../platform/editor/groupLayout.ts'
import { fileTab } from '../platform/editor/tabsState.ts'
import {
  activeTab,
  focusGroup,
  moveTab,
  moveToNewGroup,
  showInNewGroup,
  useTabs,
} from '../platform/editor/tabsStore.ts'
import { draggedPaths, dragPathType } from '../platform/files/dragTypes.ts'
import { attempt } from '../platform/notices.ts'
import { openFile, showAndFocus } from './openTab.ts'
import { tabDragType } from './TabButton.tsx'

type Zone = SplitDirection | 'center'

/** Part of the width or height that splits the group. */
const edge = 0.25

/** Whether a tab or a file is being dragged. The zones are then over the text and over frames, which keep events. */
const useDragging = create(() => false)

/** Follows drags of tabs and files. @returns a function that stops it */
export function followDrags(): () => void {
  const start = ({ dataTransfer }: globalThis.DragEvent): void => {
    if (!dataTransfer || !dataTransfer.types.some((type) => type === tabDragType || type === dragPathType)) return
    // Chrome ends a drag whose start changes what is below the pointer.
    setTimeout(() => useDragging.setState(true, true))
  }
  const end = (): void => void setTimeout(() => useDragging.setState(false, true))
  addEventListener('dragstart', start)
  addEventListener('dragend', end)
  // A tab that moved is no longer there to end its drag.
  addEventListener('drop', end, true)
  return () => {
    removeEventListener('dragstart', start)
    removeEventListener('dragend', end)
    removeEventListener('drop', end, true)
  }
}

/** Where a tab or a file can be dropped in a group: at an edge, which splits the group, or in the middle. */
export function DropZones({ groupId }: { groupId: number }) {
  const dragging = useDragging()
  const [zone, setZone] = useState<Zone | null>(null)
  if (!dragging) return null
  return (
    <div
      className="editor-drop"
      data-testid="editor-drop"
      onDragOver={(event) => {
        event.preventDefault()
        setZone(zoneAt(event))
      }}
      onDragLeave={() => setZone(null)}
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        setZone(null)
        const [target, copies] = [zoneAt(event), event.ctrlKey || event.altKey]
        const [from, id] = event.dataTransfer.getData(tabDragType).split('\n')
        if (from && id) return dropTabAt(Number(from), id, groupId, target, copies)
        const paths = draggedPaths(event.dataTransfer)
        if (paths.length > 0) attempt(() => dropFiles(paths, groupId, target))
      }}
    >
      {zone && <div className="editor-drop-zone" data-zone={zone} />}
    </div>
  )
}

/** Returns the zone below the pointer: the nearest edge, unless it is far away. */
function zoneAt({ clientX, clientY, currentTarget }: DragEvent): Zone {
  const { left, top, width, height } = currentTarget.getBoundingClientRect()
  const [x, y] = [(clientX - left) / width, (clientY - top) / height]
  const distances: [number, Zone][] = [
    [x, 'left'],
    [1 - x, 'right'],
    [y, 'up'],
    [1 - y, 'down'],
  ]
  const [distance, zone] = distances.reduce((nearest, other) => (other[0] < nearest[0] ? other : nearest))
  return distance < edge ? zone : 'center'
}

function dropTabAt(from: number, id: string, groupId: number, zone: Zone, copies: boolean): void {
  if (zone !== 'center') moveToNewGroup(from, id, groupId, zone, copies)
  else if (from !== groupId) moveTab(from, id, groupId)
  const tab = activeTab()
  if (tab) attempt(() => showAndFocus(tab, useTabs.getState().activeGroup))
}

async function dropFiles(paths: readonly string[], groupId: number, zone: Zone): Promise<void> {
  const located = await request('files.locate', { paths: paths.map(absolutePathOf) })
  const files = paths.filter((_path, index) => located[index]?.kind === 'file')
  const [first] = files
  if (first === undefined) return
  if (zone === 'center') focusGroup(groupId)
  else showInNewGroup(fileTab(first), groupId, zone)
  for (const path of files) await openFile(path)
}
