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

/** Maximum characters of an entry's text. */
const maxEntryLength = 10_000
/** Number of errors and warnings kept in memory for diagnostics. */
const maxRecent = 20
/** Maximum number of nested causes logged with an error. */
const maxCauses = 3

interface Sink {
  level: LogLevel
  write(entry: LogEntry): void
}

/** Writes to standard error, because standard output can carry results. */
const terminal: Sink = {
  level: 'warn',
  // oxlint-disable-next-line no-console -- Only this prints the log to the terminal.
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
  const complete = error === undefined ? message : `${message}: ${describeError(error)}`
  // Redacted before truncation, because a truncated key would not be recognized.
  const text = truncate(redact(complete.slice(0, 2 * maxEntryLength)))
  const entry = { at: Date.now(), level, text }
  if (serious) {
    recent.push(entry)
    if (recent.length > maxRecent) recent.shift()
  }
  for (const sink of sinks) sink.write(entry)
}

/**
 * The log of this process: standard error from level `warn`, and the log file once a host has opened it (logFile.ts).
 * Secrets are redacted. An `error` argument is logged with its stack and causes.
 */
export const log = {
  /** Failures that indicate a bug or a broken system. */
  error: (message: string, error?: unknown): void => add('error', message, error),
  /** Failures after which the operation continues. */
  warn: (message: string, error?: unknown): void => add('warn', message, error),
  /** Normal events, such as starts. */
  info: (message: string, error?: unknown): void => add('info', message, error),
  debug: (message: string, error?: unknown): void => add('debug', message, error),
}

/** Logs to the file only, because the user sees the message elsewhere, such as in a notice. */
export function logToFile(level: LogLevel, message: string): void {
  add(level, message, undefined, [file])
}

export function recentProblems(): readonly LogEntry[] {
  return [...recent]
}

/** Sets the level of the terminal and the file. The default is `warn` for the terminal and `info` for the file. */
export function setLogLevel(level: LogLevel): void {
  terminal.level = level
  fileLevel = level
  if (file) file.level = level
}

/** Sets the function that writes entries to the log file; `undefined` removes it. Only logFile.ts calls this. */
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
  // The stream fails when the process exits, which is reported elsewhere.
  stream?.on('error', flush)
}

/**
 * Formats the stack and causes of an error. Omits other properties, because they can contain requests and user text.
 */
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
