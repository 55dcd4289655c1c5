import { create } from 'zustand'
import type { CallDirection } from '../../shared/language/codeNavigation.ts'
import { toFailure, type Failure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { attempt, notifyFailure } from '../platform/notices.ts'
import { newTree, rootId, targetOf, withCalls, withState, type CallNode, type CallTree } from './callTree.ts'
import { Latest } from '../../shared/async/latest.ts'

interface CallPosition {
  path: string
  line: number
  column: number
}

export interface CallsState {
  /** Position for which the user requested calls; null before. */
  place: CallPosition | null
  direction: CallDirection
  /** Null while loading, after a failure, and if there is no function at the position. */
  tree: CallTree | null
  loading: boolean
  failure: Failure | null
  selected: string
  /** Whether the view takes the focus once shown or loaded. */
  focusRequested: boolean
}

export const noCalls: CallsState = {
  place: null,
  direction: 'incoming',
  tree: null,
  loading: false,
  failure: null,
  selected: rootId,
  focusRequested: false,
}

/** The call hierarchy that the panel shows. */
export const useCalls = create<CallsState>(() => noCalls)

const trees = new Latest()

function requestCalls(place: CallPosition, direction: CallDirection) {
  // The response must include unsaved changes.
  documents.flush()
  return request('code.callHierarchy', { ...place, direction })
}

/** Shows the calls of the function at a position, or around it. */
export async function showCalls(place: CallPosition, direction: CallDirection): Promise<void> {
  const isLatest = trees.begin()
  useCalls.setState({ place, direction, loading: true, failure: null, tree: null, selected: rootId })
  try {
    const found = await requestCalls(place, direction)
    if (isLatest()) useCalls.setState({ tree: found && newTree(found), loading: false })
  } catch (error) {
    if (isLatest()) useCalls.setState({ failure: toFailure(error), loading: false })
  }
}

/** Reloads the current tree, in another direction if given. */
export function reloadCalls(direction = useCalls.getState().direction): void {
  const { place } = useCalls.getState()
  if (place) attempt(() => showCalls(place, direction))
}

export function selectCall(id: string): void {
  useCalls.setState({ selected: id })
}

function setNode(id: string, state: CallNode['state']): void {
  useCalls.setState(({ tree }) => ({ tree: tree && withState(tree, id, state) }))
}

/** Expands a node. Its children load the first time. */
export async function expand({ id, item, children, state }: CallNode): Promise<void> {
  if (state !== 'folded' && state !== 'failed') return
  if (children) return setNode(id, 'open')
  const isLatest = trees.join()
  const { direction } = useCalls.getState()
  setNode(id, 'loading')
  try {
    const { path, range } = item
    const found = await requestCalls({ path, line: range.startLine, column: range.startColumn }, direction)
    if (!isLatest()) return
    useCalls.setState(({ tree }) => ({ tree: tree && withCalls(tree, id, found ?? { calls: [], more: 0 }) }))
  } catch (error) {
    if (!isLatest()) return
    setNode(id, 'failed')
    notifyFailure(error, `The calls of ${item.name} could not be loaded`)
  }
}

export function fold({ id, state }: CallNode): void {
  if (state === 'open') setNode(id, 'folded')
}

/** Goes to a call, or to a called function. */
export async function openCall(node: CallNode, focus: boolean): Promise<void> {
  const { item } = node
  const position = targetOf(node, useCalls.getState().direction)
  if (item.library === undefined) return openFile(item.path, position, { focus, preview: !focus })
  const { openLibraryFile } = await import('../platform/editor/documents/libraryFiles.ts')
  openLibraryFile({ id: item.library, path: item.path, position })
}
