import { useEffect, useRef, useState } from 'react'
import type { ITheme, Terminal } from '@xterm/xterm'
import type { FitAddon } from '@xterm/addon-fit'
import type { ISearchDecorationOptions, SearchAddon } from '@xterm/addon-search'
import { useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { JobTerminalProps } from '../platform/jobs/JobTerminal.tsx'
import { Spinner } from '../ui/index.ts'
import { followJob, isRunning, useJobs } from '../platform/jobs/jobsStore.ts'
import { fileLinks } from './fileLinks.ts'
import { pageLinks } from './pageLinks.ts'
import { ownTerminalKey } from './terminalKeys.ts'
import { markCommands } from './commandMarks.ts'
import { rememberCommand } from './recentCommands.ts'
import { followLastOutput } from './terminalOutput.ts'
import { registerTerminalView, useTerminalFind } from './terminalViews.ts'
import './terminal.css'

const scrollback = 5000
const minRows = 2
/** Maximum number of highlighted matches. */
const maxHighlights = 1000

/** Shows a job's output in xterm.js, and sends input to the job while it runs. */
export function XtermJobTerminal({ jobId, label, fill = false, maxRows = 16, onUnavailable }: JobTerminalProps) {
  const host = useRef<HTMLDivElement>(null)
  const unavailable = useRef(onUnavailable)
  unavailable.current = onUnavailable
  const accessibleName = useRef(label)
  accessibleName.current = label
  const [ready, setReady] = useState(false)
  const [problem, setProblem] = useState('')
  const live = useJobs(({ jobs }) => {
    const job = jobs[jobId]
    return job !== undefined && isRunning(job)
  })

  useEffect(() => {
    const element = host.current
    if (!element) return
    let dispose = () => {}
    let cancelled = false
    openTerminal(element, accessibleName.current).then(
      (terminal) => {
        if (cancelled) terminal.dispose()
        else {
          dispose = attach(terminal, element, { jobId, fill, maxRows, fail })
          setReady(true)
        }
      },
      (error: unknown) => fail(error),
    )
    function fail(error: unknown): void {
      if (cancelled) return
      setReady(true)
      setProblem(error instanceof Error ? error.message : String(error))
      unavailable.current?.()
    }
    return () => {
      cancelled = true
      dispose()
    }
  }, [jobId, fill, maxRows])

  useEffect(() => {
    host.current?.querySelector('textarea')?.setAttribute('aria-label', label)
  }, [label, ready])

  return (
    <div className={`job-terminal ${fill ? 'job-terminal-fill' : ''}`} data-testid="terminal" data-live={live}>
      {!ready && <Spinner label="Loading the terminal" />}
      {problem !== '' && <p className="job-terminal-problem">{problem}</p>}
      <div ref={host} className="job-terminal-host" hidden={problem !== ''} />
    </div>
  )
}

interface OpenedTerminal {
  terminal: Terminal
  fit: FitAddon
  search: SearchAddon
  dispose(): void
}

/** Loads xterm.js and its addons. Resolves immediately once loaded. */
export function loadXterm() {
  return Promise.all([
    import('@xterm/xterm'),
    import('@xterm/addon-fit'),
    import('@xterm/addon-search'),
    import('@xterm/addon-unicode-graphemes'),
    import('@xterm/xterm/css/xterm.css'),
  ])
}

/** Font size in pixels: that of the settings, or that of small texts of the window. */
function fontSizeOf(host: HTMLElement): number {
  const own = useApp.getState().state?.settings.terminal.fontSize ?? 0
  if (own > 0) return Math.max(6, own)
  return Number.parseInt(getComputedStyle(host).getPropertyValue('--text-s'), 10) || 12
}

async function openTerminal(host: HTMLElement, label: string): Promise<OpenedTerminal> {
  const [{ Terminal: XTerm }, { FitAddon: Fit }, { SearchAddon: Search }, { UnicodeGraphemesAddon }] = await loadXterm()
  const style = getComputedStyle(host)
  const terminal = new XTerm({
    // xterm.js considers search decorations and Unicode widths proposed APIs.
    allowProposedApi: true,
    convertEol: true,
    cursorBlink: false,
    cursorInactiveStyle: 'none',
    fontFamily: style.getPropertyValue('--font-mono'),
    fontSize: fontSizeOf(host),
    lineHeight: 1.25,
    rows: minRows,
    scrollback,
    theme: themeOf(host),
  })
  const fit = new Fit()
  terminal.loadAddon(fit)
  const search = new Search({ highlightLimit: maxHighlights })
  terminal.loadAddon(search)
  // A multi-character emoji takes the two columns that programs expect.
  terminal.loadAddon(new UnicodeGraphemesAddon())
  terminal.open(host)
  terminal.textarea?.setAttribute('aria-label', label)
  const themes = new MutationObserver(() => {
    terminal.options.theme = themeOf(host)
  })
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return {
    terminal,
    fit,
    search,
    dispose() {
      themes.disconnect()
      terminal.dispose()
    },
  }
}

interface AttachOptions {
  jobId: string
  fill: boolean
  maxRows: number
  fail: (error: unknown) => void
}

function attach(
  { terminal, fit, search, dispose }: OpenedTerminal,
  host: HTMLElement,
  { jobId, fill, maxRows, fail }: AttachOptions,
): () => void {
  const job = () => useJobs.getState().jobs[jobId]
  const running = () => {
    const known = job()
    return known !== undefined && isRunning(known)
  }

  function resize(): void {
    const size = fit.proposeDimensions()
    if (!size || Number.isNaN(size.cols) || host.clientWidth === 0) return
    const used = terminal.buffer.active.baseY + terminal.buffer.active.cursorY + 1
    const rows = fill ? size.rows : Math.min(maxRows, Math.max(minRows, used))
    if (size.cols === terminal.cols && rows === terminal.rows) return
    terminal.resize(Math.max(2, size.cols), Math.max(1, rows))
    // The request fails if the job has just ended, which needs no report.
    if (fill && running())
      request('jobs.resize', { id: jobId, columns: terminal.cols, rows: terminal.rows }).catch(() => undefined)
  }

  const links = terminal.registerLinkProvider(fileLinks(terminal, () => job()?.cwd ?? '.'))
  const pages = terminal.registerLinkProvider(pageLinks(terminal))
  const observer = new ResizeObserver(resize)
  observer.observe(host)
  const stopSettings = useApp.subscribe(({ state }, before) => {
    if (state?.settings.terminal.fontSize === before.state?.settings.terminal.fontSize) return
    terminal.options.fontSize = fontSizeOf(host)
    resize()
  })
  const output = followLastOutput(terminal, job()?.kind === 'command')
  // The stored output has commands that were remembered when they ran.
  let isStored = true
  const code = job()?.marksCode
  const marks =
    fill && code !== undefined
      ? markCommands(terminal, { code, onCommand: (command) => !isStored && rememberCommand(command) })
      : undefined
  const input = terminal.onData((data) => {
    output.typed(data)
    if (running()) request('jobs.input', { id: jobId, data }).catch(fail)
  })
  terminal.attachCustomKeyEventHandler((event) => {
    if (fill && ownTerminalKey(event, terminal, jobId)) return false
    return running() && !(event.key === 'Tab' && event.shiftKey) && !isWindowKey(event)
  })
  const hideCursor = () => {
    if (!running()) terminal.write('\u001b[?25l')
  }
  // A job that has ended accepts no input.
  const stopWatching = useJobs.subscribe((state, before) => {
    if (state.jobs[jobId] !== before.jobs[jobId]) hideCursor()
  })
  const stopFollowing = followJob(jobId, {
    load: (id) => request('jobs.output', { id }),
    write: (data) =>
      terminal.write(data, () => {
        isStored = false
        if (!fill) resize()
      }),
    reset() {
      isStored = true
      terminal.reset()
    },
    onError: fail,
  })
  hideCursor()
  resize()
  const stops = fill
    ? [
        focusWhenRequested(jobId, terminal),
        registerTerminalView(jobId, {
          selection: () => terminal.getSelection(),
          lastOutput: () => output.text(),
          selectAll: () => terminal.selectAll(),
          clear: () => terminal.clear(),
          focus: () => terminal.focus(),
          scrollToCommand: (step) => marks?.scrollToCommand(step),
          atPrompt: () => marks?.atPrompt() ?? false,
          find: (query, step) => findInTerminal(search, host, query, step),
          clearSelection: () => terminal.clearSelection(),
        }),
      ]
    : []
  const results = search.onDidChangeResults(({ resultIndex, resultCount }) => {
    useTerminalFind.setState({ found: { jobId, index: resultIndex, count: resultCount } })
  })
  return () => {
    for (const stop of stops) stop()
    stopSettings()
    results.dispose()
    output.dispose()
    marks?.dispose()
    stopFollowing()
    stopWatching()
    links.dispose()
    pages.dispose()
    input.dispose()
    observer.disconnect()
    dispose()
  }
}

function findInTerminal(search: SearchAddon, host: HTMLElement, query: string, step: 1 | -1): void {
  if (query === '') return search.clearDecorations()
  const options = { decorations: highlightColors(host) }
  if (step === 1) search.findNext(query, options)
  else search.findPrevious(query, options)
}

/**
 * Focuses the terminal when `focusJob` requests it, even before the terminal has loaded.
 * @returns a function that stops it
 */
function focusWhenRequested(jobId: string, terminal: Terminal): () => void {
  function focusIfRequested(requested: string | null): void {
    if (requested !== jobId) return
    useJobs.setState({ focusRequested: null })
    terminal.focus()
  }
  focusIfRequested(useJobs.getState().focusRequested)
  return useJobs.subscribe((state) => focusIfRequested(state.focusRequested))
}

/** Whether a key moves the focus between window regions. The terminal ignores these keys. */
function isWindowKey(event: KeyboardEvent): boolean {
  return event.key === 'F6' || (event.ctrlKey && event.key === '`')
}

/** Highlight colors. xterm.js accepts only opaque hexadecimal colors, and some tokens are transparent. */
function highlightColors(element: HTMLElement): ISearchDecorationOptions {
  const style = getComputedStyle(element)
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const overEditor = (name: string): string => {
    if (!context) return '#000000'
    for (const token of ['editor', name]) {
      context.fillStyle = style.getPropertyValue(`--color-${token}`).trim()
      context.fillRect(0, 0, 1, 1)
    }
    const parts = Array.from(context.getImageData(0, 0, 1, 1).data.subarray(0, 3))
    return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }
  return {
    matchBackground: overEditor('match'),
    matchOverviewRuler: overEditor('match'),
    activeMatchBackground: overEditor('match'),
    activeMatchBorder: overEditor('accent'),
    activeMatchColorOverviewRuler: overEditor('accent'),
  }
}

/** Derives the terminal's colors from the current theme's design tokens. */
function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(`--color-${name}`).trim()
  const colors = {
    red: token('danger'),
    green: token('success'),
    yellow: token('warning'),
    blue: token('accent'),
    magenta: token('syntax-keyword'),
    cyan: token('syntax-type'),
  }
  return {
    background: token('editor'),
    foreground: token('text'),
    cursor: token('text-strong'),
    selectionBackground: token('selected'),
    black: token('border-strong'),
    white: token('text'),
    brightBlack: token('text-faint'),
    brightWhite: token('text-strong'),
    ...colors,
    brightRed: colors.red,
    brightGreen: colors.green,
    brightYellow: colors.yellow,
    brightBlue: colors.blue,
    brightMagenta: colors.magenta,
    brightCyan: colors.cyan,
  }
}
