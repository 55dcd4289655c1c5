import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settingsSchema, type Settings } from '../../shared/settings/settings.ts'
import { log } from '../base/log/log.ts'
import { openLogFile, type LogFile } from '../base/log/logFile.ts'
import { hideSecret } from '../base/log/redact.ts'
import { createDiagnosticsHandlers, diagnostics } from './diagnosticsHandlers.ts'

const defaultSettings = settingsSchema.parse({})
const platform = { host: 'browser', version: '1.2.3' } as const
const signal = new AbortController().signal

describe('diagnostics', () => {
  const settings: Settings = {
    ...defaultSettings,
    systemPrompt: 'prompt-secret',
    mcp: {
      ...defaultSettings.mcp,
      servers: {
        files: {
          type: 'stdio',
          command: '/home/ada/bin/server',
          args: ['--mount', 'positional-secret'],
          env: { SOME_NAME: 'env-secret' },
        },
        web: { type: 'http', url: 'https://example.org/mcp?key=url-secret', headers: { 'X-Name': 'header-secret' } },
      },
    },
  }
  const text = (problems: Parameters<typeof diagnostics>[0]['problems'] = []) =>
    diagnostics({ platform, settings, problems, home: '/home/ada' })

  it('has versions, platform and settings', () => {
    expect(text()).toMatch(/^Tizona 1\.2\.3 \(browser host\)\nNode \d+/)
    expect(text()).toContain(process.platform)
    expect(text()).toContain('"theme"')
    expect(text()).toContain('example.org/mcp')
  })

  it('has no secret and no name of the user', () => {
    expect(text()).not.toMatch(/prompt-secret|env-secret|positional-secret|url-secret|header-secret|ada/)
    expect(text()).toContain('~/bin/server')
  })

  it('has the latest errors, with a key that was stored after they were logged hidden too', () => {
    const problem = { at: 0, level: 'error', text: 'Refused: late-key-value' } as const
    hideSecret('late-key-value')
    expect(text([problem])).toContain('1970-01-01T00:00:00.000Z error')
    expect(text([problem])).toContain('Refused: [hidden]')
  })
})

describe('the log of the window', () => {
  let folder: string
  let file: LogFile | undefined
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tizona-diagnostics-'))
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(async () => {
    await file?.close()
    file = undefined
    vi.restoreAllMocks()
    await rm(folder, { recursive: true })
  })
  const handlers = createDiagnosticsHandlers({ platform, settings: () => defaultSettings })

  it('contains what main and the window logged', async () => {
    file = openLogFile(folder)
    log.info('started')
    await handlers['log.write']({ level: 'error', message: 'The chat failed' }, signal)
    const { path, text, truncated } = await handlers['log.read']({}, signal)
    expect(path).toBe(join(folder, 'logs', 'tizona.log'))
    expect(text).toMatch(/started\n.*error .*The chat failed\n$/)
    expect(truncated).toBe(false)
    expect(await handlers['app.diagnostics']({}, signal)).toContain('The chat failed')
  })

  it('returns a clear error if no log file is open', async () => {
    await expect(handlers['log.read']({}, signal)).rejects.toMatchObject({ code: 'not_found' })
  })
})
