import { inspect } from 'node:util'
import { redact } from './redact.ts'

export const logLevels = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogEntry {
  /** Milliseconds since the epoch. */
  at: number
  level: LogLevel
  /** Redacted; may have several lines. */
  text: string
}

/** Longest text of one entry, in characters. */
const maxEntryLength = 10_000
/** How many errors and warnings are kept in memory for diagnostics. */
const maxRecent = 20
/** How many causes of an error are logged. */
const maxCauses = 3

interface Sink {
  level: LogLevel
  write(entry: LogEntry): void
}

/** Standard error. Standard output may carry results. */
const terminal: Sink = {
  level: 'warn',
  // oxlint-disable-next-line no-console -- The one place where the log reaches the terminal.
  write: ({ text }) => console.error(text),
}
let file: Sink | undefined
let fileLevel: LogLevel = 'info'
const recent: LogEntry[] = []

function reaches(level: LogLevel, sink: Sink | undefined): sink is Sink {
  return sink !== undefined && logLevels.indexOf(level) <= logLevels.indexOf(sink.level)
}

function add(level: LogLevel, message: string, error?: unknown, targets = [terminal, file]): void {
  const sinks = targets.filter((sink) => reaches(level, sink))
  const serious = level === 'error' || level === 'warn'
  if (sinks.length === 0 && !serious) return
  const whole = error === undefined ? message : `${message}: ${describeError(error)}`
  // Redacted before it is truncated, which could leave part of a key that is no longer recognised.
  const text = truncate(redact(whole.slice(0, 2 * maxEntryLength)))
  const entry = { at: Date.now(), level, text }
  if (serious) {
    recent.push(entry)
    if (recent.length > maxRecent) recent.shift()
  }
  for (const sink of sinks) sink.write(entry)
}

/**
 * The log of this process: standard error from the level `warn`, and the log file once a host has opened it (logFile.ts).
 * Secrets are redacted. An `error` argument is logged with its stack and causes.
 */
export const log = {
  /** Something failed that should have worked. */
  error: (message: string, error?: unknown): void => add('error', message, error),
  /** Something failed, and the work goes on. */
  warn: (message: string, error?: unknown): void => add('warn', message, error),
  /** What the process does: starts, opened folders. */
  info: (message: string, error?: unknown): void => add('info', message, error),
  /** Details for someone who looks for a bug. */
  debug: (message: string, error?: unknown): void => add('debug', message, error),
}

/** Logs a message that the user sees elsewhere, such as a notice of the window. It is not printed to the terminal. */
export function logShown(level: LogLevel, message: string): void {
  add(level, message, undefined, [file])
}

/** The latest errors and warnings of this process, oldest first. */
export function recentProblems(): readonly LogEntry[] {
  return [...recent]
}

/** Sets the level of the terminal and the file. The default is `warn` for the terminal and `info` for the file. */
export function setLogLevel(level: LogLevel): void {
  terminal.level = level
  fileLevel = level
  if (file) file.level = level
}

/** Sends entries to `write` as well; `undefined` stops that. For logFile.ts. */
export function setFileSink(write: Sink['write'] | undefined): void {
  file = write && { level: fileLevel, write }
}

/** Logs the lines that a child process writes to a stream. */
export function logOutput(
  name: string,
  stream: NodeJS.ReadableStream | null | undefined,
  level: LogLevel = 'warn',
): void {
  let rest = ''
  const flush = (): void => {
    if (rest.trim() !== '') log[level](`${name}: ${rest.trimEnd()}`)
    rest = ''
  }
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') log[level](`${name}: ${line.trimEnd()}`)
    if (rest.length > maxEntryLength) flush()
  })
  stream?.on('end', flush)
  // The process has ended; its exit is reported elsewhere.
  stream?.on('error', flush)
}

/** The stack and causes of an error. Other properties stay out: they may hold requests and what users wrote. */
function describeError(error: unknown): string {
  const parts: string[] = []
  let current = error
  while (current instanceof Error && parts.length <= maxCauses) {
    parts.push(current.stack ?? current.message)
    current = current.cause
  }
  if (current !== undefined && !(current instanceof Error)) parts.push(inspect(current, { depth: 2 }))
  return parts.join('\nCaused by: ')
}

function truncate(text: string): string {
  return text.length <= maxEntryLength ? text : `${text.slice(0, maxEntryLength)}… (truncated)`
}
