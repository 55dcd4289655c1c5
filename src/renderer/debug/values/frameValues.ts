import type { DebugFrame, DebugSessionInfo, DebugValue } from '../../../shared/debug/debug.ts'
import { Delayer } from '../../../shared/async/delayer.ts'
import { Latest } from '../../../shared/async/latest.ts'
import { toFailure } from '../../../shared/errors.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { attempt } from '../../platform/notices.ts'
import { createValueTree, resultNode, scopeNode, type ValueNode } from './valueTree.ts'

/** Scopes of the selected frame. */
export const variableTree = createValueTree()
/** Watched expressions, evaluated in the selected frame. */
export const watchTree = createValueTree()

/** Milliseconds that values stay visible while the program runs, so that a step does not flicker. */
const keepMs = 400

interface Place {
  session: DebugSessionInfo
  frame: DebugFrame
}

/** Returns the selected frame of a stopped program; null while it runs. */
function currentPlace(): Place | null {
  const session = selectedSession()
  const { selectedFrame: frame } = useDebug.getState()
  return session?.state === 'stopped' && frame !== null ? { session, frame } : null
}

const loads = { variables: new Latest(), watch: new Latest() }

/**
 * Returns ids of the stop and of its function. Values are compared with those of the previous stop in the same
 * function.
 */
function identify({ session, frame }: Place): { sessionId: string; place: string; stop: string } {
  return {
    sessionId: session.id,
    place: `${session.id} ${frame.path ?? frame.source ?? ''} ${frame.name}`,
    stop: `${session.id} ${session.stopCount}`,
  }
}

async function loadVariables(): Promise<void> {
  const isCurrent = loads.variables.begin()
  const place = currentPlace()
  if (place === null) return
  const { session, frame } = place
  const scopes = await request('debug.scopes', { sessionId: session.id, frameId: frame.id })
  const first = scopes.find(({ expensive }) => !expensive)
  const roots = scopes.map((scope) => scopeNode(scope, scope === first))
  if (isCurrent()) await variableTree.replace({ ...identify(place), roots, isCurrent })
}

async function evaluate(place: Place, expression: string): Promise<DebugValue | { failure: string }> {
  try {
    const { session, frame } = place
    return await request('debug.evaluate', { sessionId: session.id, frameId: frame.id, expression, context: 'watch' })
  } catch (error) {
    return { failure: toFailure(error).message }
  }
}

async function loadWatch(): Promise<void> {
  const isCurrent = loads.watch.begin()
  const place = currentPlace()
  if (place === null) return
  const roots: ValueNode[] = []
  // One after another, because an expression can change what another one reads.
  for (const expression of useLayout.getState().debug.watch) {
    roots.push(resultNode(expression, expression, await evaluate(place, expression)))
    if (!isCurrent()) return
  }
  await watchTree.replace({ ...identify(place), roots, isCurrent })
}

/** Reads the values of the selected frame again, for example after one was changed. */
export async function refreshValues(): Promise<void> {
  try {
    await Promise.all([loadVariables(), loadWatch()])
  } catch (error) {
    // The program has continued, for example because the user steps quickly. The next stop has new values.
    if (toFailure(error).code !== 'conflict') throw error
  }
}

function clearValues(): void {
  if (currentPlace() !== null) return
  variableTree.clear()
  watchTree.clear()
}

/** Keeps the values current. @returns a function that stops it */
export function followFrame(): () => void {
  const clearing = new Delayer(clearValues, keepMs)
  let known = ''
  const update = (): void => {
    const place = currentPlace()
    const next = place === null ? '' : `${place.session.id} ${place.session.stopCount} ${place.frame.id}`
    if (next === known) return
    known = next
    if (place === null) {
      loads.variables.begin()
      loads.watch.begin()
      clearing.restart()
    } else attempt(refreshValues, 'The variables could not be read')
  }
  const stops = [
    useDebug.subscribe(update),
    useLayout.subscribe(({ debug }, before) => {
      if (debug.watch !== before.debug.watch) attempt(loadWatch)
    }),
  ]
  update()
  return () => {
    clearing.cancel()
    stops.forEach((stop) => stop())
  }
}

/** Sets a variable, and reads all values again, because others may depend on it. */
export async function setVariable(node: ValueNode, value: string): Promise<void> {
  const session = selectedSession()
  if (session === undefined || node.container === undefined) return
  await request('debug.setVariable', { sessionId: session.id, reference: node.container, name: node.name, value })
  await refreshValues()
}

/** Returns the whole value, which the debugger may have shortened. */
export async function wholeValue(node: ValueNode): Promise<string> {
  const place = currentPlace()
  if (place === null || node.evaluateName === undefined) return node.value
  try {
    const { session, frame } = place
    const { value } = await request('debug.evaluate', {
      sessionId: session.id,
      frameId: frame.id,
      expression: node.evaluateName,
      context: 'clipboard',
    })
    return value
  } catch {
    // Not all debuggers know this context.
    return node.value
  }
}

/** Adds an expression to the watched ones, which are stored with the folder. */
export function addWatch(expression: string): void {
  const text = expression.trim()
  if (text !== '') changeWatch((all) => [...all.filter((each) => each !== text), text].slice(-maxWatched))
}

export function replaceWatch(old: string, expression: string): void {
  const text = expression.trim()
  changeWatch((all) => [...new Set(all.flatMap((each) => (each !== old ? [each] : text === '' ? [] : [text])))])
}

export function removeWatch(expression: string): void {
  changeWatch((all) => all.filter((each) => each !== expression))
}

export function clearWatch(): void {
  changeWatch(() => [])
}

const maxWatched = 100

function changeWatch(change: (watched: readonly string[]) => readonly string[]): void {
  useLayout.setState(({ debug }) => ({ debug: { ...debug, watch: change(debug.watch) } }))
}
