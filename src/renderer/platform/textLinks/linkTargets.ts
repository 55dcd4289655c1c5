import { create } from 'zustand'
import type { LocatedSymbol } from '../../../shared/language/codeNavigation.ts'
import { currentWorkspace, useApp } from '../appState.ts'
import { on, request } from '../bridge/bridge.ts'
import { Delayer } from '../../../shared/async/delayer.ts'
import { Throttler } from '../../../shared/async/throttler.ts'

// Targets of mentions in texts: files by path, symbols by name. Main locates them in batches, one after another.

interface LinkTargets {
  /** Workspace paths by mentioned path; null if there is no such file. */
  files: ReadonlyMap<string, string | null>
  symbols: ReadonlyMap<string, LocatedSymbol | null>
}

const none: LinkTargets = { files: new Map(), symbols: new Map() }

export const useLinkTargets = create<LinkTargets>(() => none)

/** Maximum number of mentions in one request, as in the protocol. */
const batch = { files: 200, symbols: 40 }
/** Maximum number of waiting mentions. Further ones stay text. */
const maxWaiting = 2000
/** Maximum number of known targets. Beyond it, all are forgotten. */
const maxKnown = 5000
/** Milliseconds to collect mentions while texts render. */
const collectMs = 30

const waiting = { files: new Set<string>(), symbols: new Set<string>() }
const batches = new Throttler()
const locateLater = new Delayer(() => batches.queue(locateBatch), collectMs)

/** Schedules locating a mentioned file or symbol. The result arrives in `useLinkTargets`. */
export function locateMention(kind: keyof LinkTargets, mention: string): void {
  if (currentWorkspace() === null || waiting[kind].size >= maxWaiting) return
  waiting[kind].add(mention)
  locateLater.start()
}

function takeBatch(kind: keyof LinkTargets): string[] {
  const taken = [...waiting[kind]].slice(0, batch[kind])
  for (const mention of taken) waiting[kind].delete(mention)
  return taken
}

async function locateBatch(): Promise<void> {
  const paths = takeBatch('files')
  const names = takeBatch('symbols')
  try {
    const { files, symbols } = await request('links.locate', { paths, names })
    useLinkTargets.setState((known) => ({
      files: join(known.files, paths, files),
      symbols: join(known.symbols, names, symbols),
    }))
  } catch {
    // Without a response, for example while the window reconnects, mentions stay text.
  } finally {
    if (waiting.files.size + waiting.symbols.size > 0) locateLater.start()
  }
}

function join<T>(known: ReadonlyMap<string, T>, mentions: readonly string[], found: readonly T[]): Map<string, T> {
  const joined = new Map(known.size > maxKnown ? [] : known)
  for (const [index, mention] of mentions.entries()) {
    const target = found[index]
    if (target !== undefined) joined.set(mention, target)
  }
  return joined
}

const nameOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Forgets targets when files appear or disappear, or another folder is opened. @returns a function that stops it */
export function followLinkTargets(): () => void {
  const stops = [
    on('files.changed', ({ changes, overflow }) => {
      if (overflow) return useLinkTargets.setState(none)
      const names = new Set(changes.filter(({ change }) => change !== 'changed').map(({ path }) => nameOf(path)))
      const { files } = useLinkTargets.getState()
      const kept = [...files].filter(([path]) => !names.has(nameOf(path)))
      if (kept.length < files.size) useLinkTargets.setState({ files: new Map(kept) })
    }),
    useApp.subscribe(({ state }, before) => {
      if (state?.workspace?.root !== before.state?.workspace?.root) useLinkTargets.setState(none)
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
