import { homedir, release } from 'node:os'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { log, recentProblems, type LogEntry } from '../base/log/log.ts'
import { currentLogFile, formatEntry, readLogTail } from '../base/log/logFile.ts'
import { redact } from '../base/log/redact.ts'
import type { Platform } from '../appServices/platform.ts'
import type { Handlers } from '../core/coreContract.ts'

/** Maximum bytes of log text sent to the window. */
const maxLogBytes = 200_000

interface DiagnosticsHandlerDeps {
  platform: Pick<Platform, 'host' | 'version'>
  settings(): Settings
}

/** Handles requests for the log and for the text of a bug report. */
export function createDiagnosticsHandlers({
  platform,
  settings,
}: DiagnosticsHandlerDeps): Pick<Handlers, 'log.read' | 'log.write' | 'app.diagnostics'> {
  return {
    async 'log.read'() {
      const file = currentLogFile()
      if (!file) throw new ToolError('not_found', 'This process has no log file.', 'Read its standard error instead.')
      await file.flush()
      return { path: file.path, ...(await readLogTail(file.path, maxLogBytes)) }
    },
    'log.write': ({ level, message }) => log[level](message),
    'app.diagnostics': () =>
      diagnostics({ platform, settings: settings(), problems: recentProblems(), home: homedir() }),
  }
}

interface DiagnosticsInput {
  platform: DiagnosticsHandlerDeps['platform']
  settings: Settings
  problems: readonly LogEntry[]
  /** Replaced by `~`, because it contains the user's name. */
  home: string
}

/** Formats versions, platform, settings without secrets, and the latest errors and warnings as Markdown. */
export function diagnostics({ platform, settings, problems, home }: DiagnosticsInput): string {
  const { node, electron, chrome } = process.versions
  const text = [
    `Tizona ${platform.version} (${platform.host === 'electron' ? 'desktop' : platform.host} host)`,
    [`Node ${node}`, electron && `Electron ${electron}`, chrome && `Chromium ${chrome}`].filter(Boolean).join(', '),
    `${process.platform} ${release()} ${process.arch}`,
    '',
    'Settings:',
    '```json',
    JSON.stringify(
      withoutSecrets({ ...settings, systemPrompt: plural(settings.systemPrompt.length, 'character') }),
      null,
      2,
    ),
    '```',
    '',
    'Latest errors and warnings:',
    '```',
    problems.length === 0 ? 'none' : problems.map(formatEntry).join('').trimEnd(),
    '```',
    '',
  ].join('\n')
  return redact(text).replaceAll(home, '~')
}

/** Settings of MCP servers and endpoints whose values can contain secrets. */
const secretFields = new Set(['env', 'headers', 'headerValues', 'args'])

function withoutSecrets(value: unknown, name = ''): unknown {
  if (Array.isArray(value))
    return secretFields.has(name) ? [`${value.length} hidden`] : value.map((item) => withoutSecrets(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, secretFields.has(name) ? '[hidden]' : withoutSecrets(item, key)]),
  )
}
