import { create } from 'zustand'
import type { DebugOutput, DebugSessionInfo } from '../../../shared/debug/debug.ts'
import { toFailure, type Failure } from '../../../shared/errors.ts'
import { onConnected, request } from '../../platform/bridge/bridge.ts'
import { onAppState } from '../../platform/appState.ts'
import { onDebugOutput, selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { refreshValues } from '../values/frameValues.ts'
import { createValueTree, type ValueNode } from '../values/valueTree.ts'
import { parseAnsi, type AnsiStyle } from '../../platform/ansiText.ts'

/** A line of the console. */
export interface ConsoleRow {
  id: number
  sessionId: string
  kind: 'input' | 'output' | 'result' | 'error' | 'note'
  category: DebugOutput['category']
  text: string
  /** Style at the start of the line. */
  style: AnsiStyle
  /** A value that can be expanded. */
  node?: ValueNode
  path?: string
  line?: number
}

interface ConsoleState {
  rows: readonly ConsoleRow[]
  /** Whether old rows were removed to keep within the limits. */
  trimmed: boolean
  /** Names of the sessions that have rows, by id. */
  names: Readonly<Record<string, string>>
  /** The session whose rows are shown; null: all. */
  session: string | null
  /** Only rows that contain this text are shown. */
  filter: string
  /** Evaluated expressions, oldest first. */
  history: readonly string[]
}

const empty: ConsoleState = { rows: [], trimmed: false, names: {}, session: null, filter: '', history: [] }

export const useDebugConsole = create<ConsoleState>()(() => empty)

/** Limits of what is kept. The oldest rows are removed first. */
export const consoleLimits = { rows: 10_000, characters: 2_000_000 }
/** Maximum characters of a row. */
const maxRow = 10_000
const maxHistory = 100

let nextId = 1
let characters = 0
/**
 * The unfinished line of each session and category, with the style at its end. `returned`: it ended with a carriage
 * return, so the next text replaces it.
 */
const openLines = new Map<string, { id: number; end: AnsiStyle; returned: boolean }>()
/**
 * Sessions that are known: `live` if this window has their output so far. The output of `stale` ones may have been sent
 * while the window was disconnected, and is loaded.
 */
const known = new Map<string, 'stale' | 'loading' | 'live'>()
/** Characters of the output of each session that the console got. */
const received = new Map<string, number>()
/** Output of sessions that are not live. */
const waiting = new Map<string, DebugOutput[]>()
/** Number of connections and folders so far. */
let generations = 0
/** Sessions whose end is already in the console. */
const endedIds = new Set<string>()

/** Values of results and of structured output. */
export const consoleValues = createValueTree((key) => {
  const id = Number(/^row(\d+)/.exec(key)?.[1])
  return useDebugConsole.getState().rows.find((row) => row.id === id)?.sessionId
})

type NewRow = Omit<ConsoleRow, 'id' | 'style'> & { style?: AnsiStyle }

function append(added: readonly NewRow[], replacedLast?: ConsoleRow): ConsoleRow[] {
  const rows = added.map((row): ConsoleRow => ({ style: {}, ...row, id: nextId++ }))
  useDebugConsole.setState(({ rows: before, trimmed }) => {
    const base =
      replacedLast === undefined ? before : before.map((row) => (row.id === replacedLast.id ? replacedLast : row))
    const all = [...base, ...rows]
    for (const { text } of rows) characters += text.length
    let first = Math.max(0, all.length - consoleLimits.rows)
    for (const { text } of all.slice(0, first)) characters -= text.length
    while (characters > consoleLimits.characters && first < all.length - 1) {
      characters -= all[first]?.text.length ?? 0
      first += 1
    }
    return { rows: first === 0 ? all : all.slice(first), trimmed: trimmed || first > 0 }
  })
  return rows
}

/** What a terminal shows of a line: the part after its last carriage return. */
function visibleLine(text: string): string {
  const line = text.replace(/\r+$/, '')
  return line.slice(line.lastIndexOf('\r') + 1, line.lastIndexOf('\r') + 1 + maxRow)
}

/** Adds output, which can start and end within a line. */
export function addOutput({ sessionId, category, text, reference, path, line }: DebugOutput): void {
  const place = path === undefined ? {} : { path, ...(line !== undefined && { line }) }
  const common = { sessionId, kind: 'output', category, ...place } as const
  const stream = `${sessionId} ${category}`
  if (reference !== undefined) {
    openLines.delete(stream)
    const id = nextId
    append([{ ...common, text: '', node: valueNode(id, text.trimEnd(), { reference }) }])
    return
  }
  const lines = text.split('\n')
  const isComplete = lines.at(-1) === ''
  if (isComplete) lines.pop()
  const open = openLines.get(stream)
  const before = open && useDebugConsole.getState().rows.findLast(({ id }) => id === open.id)
  let style = open?.end ?? {}
  let continued: ConsoleRow | undefined
  if (before !== undefined) {
    const joined = `${before.text}${open?.returned === true ? '\r' : ''}${lines.shift() ?? ''}`
    continued = { ...before, text: visibleLine(joined) }
    characters += continued.text.length - before.text.length
    style = parseAnsi(continued.text, before.style).end
  }
  const added = lines.map((each) => {
    const start = style
    const shown = visibleLine(each)
    style = parseAnsi(shown, start).end
    return { ...common, text: shown, style: start }
  })
  const rows = append(added, continued)
  const last = rows.at(-1) ?? continued
  if (isComplete || last === undefined) openLines.delete(stream)
  else openLines.set(stream, { id: last.id, end: style, returned: text.endsWith('\r') })
}

/** Creates the expandable value of a row. Its key identifies the row's session. */
function valueNode(
  id: number,
  value: string,
  { reference, indexed, named, type }: Partial<ValueNode> & { reference: number },
): ValueNode {
  return {
    key: `row${id}`,
    kind: 'result',
    name: '',
    value,
    reference,
    readOnly: true,
    ...(indexed !== undefined && { indexed }),
    ...(named !== undefined && { named }),
    ...(type !== undefined && { type }),
  }
}

/** Evaluates an expression in the selected frame, and adds it and its value. */
export async function evaluateInput(expression: string): Promise<void> {
  const session = selectedSession()
  const sessionId = session?.id ?? ''
  const common = { sessionId, category: 'console' } as const
  append([{ ...common, kind: 'input', text: expression }])
  useDebugConsole.setState(({ history }) => ({
    history: [...history.filter((each) => each !== expression), expression].slice(-maxHistory),
  }))
  if (session === undefined || session.state === 'ended') {
    append([{ ...common, kind: 'error', text: 'No program is being debugged.' }])
    return
  }
  const { selectedFrame } = useDebug.getState()
  try {
    const result = await request('debug.evaluate', {
      sessionId,
      expression,
      context: 'repl',
      ...(selectedFrame !== null && { frameId: selectedFrame.id }),
    })
    if (result.value !== '' || result.reference > 0) {
      const id = nextId
      append([{ ...common, kind: 'result', text: '', node: valueNode(id, result.value, result) }])
    }
    // The expression may have changed variables.
    await refreshValues()
  } catch (error) {
    append(
      toFailure(error)
        .message.split('\n')
        .map((text) => ({ ...common, kind: 'error', text })),
    )
  }
}

/** Adds the reason why a start failed, and the debugger's output. */
export function reportStartFailure(name: string, { message, next, detail = '' }: Failure): void {
  const common = { sessionId: '', category: 'stderr' } as const
  append([
    { ...common, kind: 'error', text: `${name} could not be started: ${message}` },
    ...detail
      .split('\n')
      .filter((line) => line !== '')
      .map((text): NewRow => ({ ...common, kind: 'output', text: visibleLine(text) })),
    ...(next === '' ? [] : [{ ...common, kind: 'note' as const, text: next }]),
  ])
}

export function clearConsole(): void {
  characters = 0
  openLines.clear()
  consoleValues.clear()
  useDebugConsole.setState({ rows: [], trimmed: false })
}

function noteEnd({ id, name, exitCode, failure }: DebugSessionInfo): void {
  if (endedIds.has(id)) return
  endedIds.add(id)
  const text =
    failure ?? (exitCode === undefined ? `${name} has ended.` : `${name} has ended with exit code ${exitCode}.`)
  append([{ sessionId: id, category: 'console', kind: failure === undefined ? 'note' : 'error', text }])
}

/** Adds output that main has sent, without what the console already has. */
function receive(output: DebugOutput): void {
  const { sessionId, text, range } = output
  if (known.get(sessionId) !== 'live') {
    waiting.set(sessionId, [...(waiting.get(sessionId) ?? []), output])
    return
  }
  if (range === undefined) return addOutput(output)
  const before = received.get(sessionId) ?? 0
  if (range.to <= before) return
  received.set(sessionId, range.to)
  addOutput({ ...output, text: text.slice(Math.max(0, before - range.from)) })
}

function becomeLive(id: string): void {
  known.set(id, 'live')
  const outputs = waiting.get(id) ?? []
  waiting.delete(id)
  for (const output of outputs) receive(output)
}

/**
 * Loads the output that was sent while this window was not connected or the console not loaded. It is plain text. What
 * also arrived as events keeps its kinds.
 */
async function loadMissed(id: string): Promise<void> {
  const generation = generations
  known.set(id, 'loading')
  const isCurrent = (): boolean => generation === generations && known.get(id) === 'loading'
  const before = received.get(id) ?? 0
  let rest = (): void => undefined
  try {
    const { text, truncated, to } = await request('debug.output', { sessionId: id, from: before })
    if (!isCurrent()) return
    const ranges = (waiting.get(id) ?? []).flatMap(({ range }) => range ?? [])
    const [first, last] = [ranges[0]?.from ?? to, ranges.at(-1)?.to ?? to]
    const start = to - text.length
    const plain = (part: string) => part !== '' && addOutput({ sessionId: id, category: 'stdout', text: part })
    if (truncated && first > before)
      append([{ sessionId: id, category: 'console', kind: 'note', text: 'Earlier output was removed.' }])
    plain(text.slice(0, Math.max(0, first - start)))
    received.set(id, Math.max(before, first))
    rest = () => {
      plain(text.slice(Math.max(0, last - start)))
      received.set(id, Math.max(to, last))
    }
  } catch {
    // The session was removed in the meantime, or the connection was lost again.
  }
  if (!isCurrent()) return
  becomeLive(id)
  rest()
  // It may have ended in the meantime.
  const session = useDebug.getState().sessions.find((each) => each.id === id)
  if (session?.state === 'ended') noteEnd(session)
}

/** Collects the output of all sessions, even while the console is hidden. @returns a function that stops it */
export function followDebugOutput(): () => void {
  let root: string | null = null
  let loadsAll = true
  const update = (): void => {
    const { sessions } = useDebug.getState()
    const { names } = useDebugConsole.getState()
    const added = sessions.filter(({ id, name }) => names[id] !== name)
    if (added.length > 0)
      useDebugConsole.setState({
        names: { ...names, ...Object.fromEntries(added.map(({ id, name }) => [id, name])) },
      })
    for (const session of sessions) {
      const state = known.get(session.id)
      if (state === undefined && session.state === 'starting' && !loadsAll) becomeLive(session.id)
      else if (state === undefined || state === 'stale') void loadMissed(session.id)
      else if (state === 'live' && session.state === 'ended') noteEnd(session)
    }
  }
  const stops = [
    onConnected(() => {
      generations += 1
      waiting.clear()
      for (const id of known.keys()) if (!endedIds.has(id)) known.set(id, 'stale')
    }),
    onAppState(({ workspace }) => {
      if ((workspace?.root ?? null) === root) return
      root = workspace?.root ?? null
      generations += 1
      known.clear()
      received.clear()
      waiting.clear()
      endedIds.clear()
      clearConsole()
      useDebugConsole.setState(empty)
    }),
    useDebug.subscribe(update),
    // Last, because it receives what was printed before.
    onDebugOutput(receive),
  ]
  // A session that is there already may have had output.
  update()
  loadsAll = false
  return () => stops.forEach((stop) => stop())
}

/** Pure: the rows that a session and a filter show. */
export function shownRows({ rows, session, filter }: Pick<ConsoleState, 'rows' | 'session' | 'filter'>): ConsoleRow[] {
  const wanted = filter.toLowerCase()
  return rows.filter(
    (row) =>
      (session === null || row.sessionId === session || row.sessionId === '') &&
      (wanted === '' || `${row.text}${row.node?.value ?? ''}`.toLowerCase().includes(wanted)),
  )
}
