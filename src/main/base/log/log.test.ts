import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { log, logOutput, recentProblems, setLogLevel } from './log.ts'
import { openLogFile, readLogTail, type LogFile } from './logFile.ts'
import { hideSecret, redact } from './redact.ts'

let folder: string
let file: LogFile | undefined
let shown: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-log-'))
  shown = []
  vi.spyOn(console, 'error').mockImplementation((text: string) => void shown.push(text))
})
afterEach(async () => {
  await file?.close()
  file = undefined
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

const logged = async (): Promise<string> => {
  await file?.flush()
  return readFile(join(folder, 'logs', 'tizona.log'), 'utf8')
}

describe('levels', () => {
  it('the terminal shows errors and warnings, and the file also has infos', async () => {
    file = openLogFile(folder)
    log.error('broken')
    log.warn('odd')
    log.info('started')
    log.debug('detail')
    expect(shown).toEqual(['broken', 'odd'])
    const lines = (await logged()).trimEnd().split('\n')
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      `error [${process.pid}] broken`,
      `warn  [${process.pid}] odd`,
      `info  [${process.pid}] started`,
    ])
  })

  it('a level that was set applies to the terminal and the file', async () => {
    file = openLogFile(folder)
    setLogLevel('debug')
    log.debug('detail')
    setLogLevel('error')
    log.warn('odd')
    log.error('broken')
    expect(shown).toEqual(['detail', 'broken'])
    expect(await logged()).toMatch(/detail\n.*broken\n$/)
    expect(recentProblems().slice(-2)).toMatchObject([{ text: 'odd' }, { text: 'broken' }])
  })
})

describe('the log file', () => {
  beforeEach(() => setLogLevel('info'))

  it('is readable only by its user, and an error has its stack and causes on indented lines', async () => {
    file = openLogFile(folder)
    log.error('Saving', new Error('No space', { cause: new Error('ENOSPC') }))
    const text = await logged()
    expect(text).toMatch(/Saving: Error: No space\n {6}at [\s\S]*\n {2}Caused by: Error: ENOSPC\n/)
    expect(text.split('\n').filter((line) => /^\d{4}-/.test(line))).toHaveLength(1)
    if (process.platform !== 'win32') expect((await stat(file.path)).mode & 0o777).toBe(0o600)
  })

  it('rotates by size and keeps a fixed number of files', async () => {
    file = openLogFile(folder, { maxBytes: 200, maxFiles: 3 })
    for (let index = 0; index < 12; index++) {
      log.info(`entry ${index} ${'x'.repeat(120)}`)
      await file.flush()
    }
    expect((await readdir(join(folder, 'logs'))).toSorted()).toEqual(['tizona.1.log', 'tizona.2.log'])
    log.info('the last one')
    expect(await logged()).toContain('the last one')
    expect(await readFile(join(folder, 'logs', 'tizona.1.log'), 'utf8')).toContain('entry 11')
  })

  it('that cannot be written is reported once, and logging continues', async () => {
    await writeFile(join(folder, 'logs'), 'a file where the folder should be')
    setLogLevel('warn')
    file = openLogFile(folder)
    log.warn('odd')
    await file.flush()
    log.error('broken')
    await file.flush()
    expect(shown).toEqual(['odd', expect.stringContaining('cannot be written'), 'broken'])
  })

  it('is read from its end, beginning with a whole line', async () => {
    const path = join(folder, 'x.log')
    await writeFile(path, 'first line\nsecond line\nthird line\n')
    expect(await readLogTail(path, 15)).toEqual({ text: 'third line\n', truncated: true })
    expect(await readLogTail(path, 1000)).toMatchObject({ truncated: false })
  })
})

describe('redaction', () => {
  it.each([
    ['Authorization: Bearer abc.def-123456', 'abc.def'],
    ['{"authorization":"Custom a b c"}', 'a b c'],
    ['request failed: sk-proj-abcdefgh12345678', 'abcdefgh'],
    ['{"api_key": "hunter2hunter2"}', 'hunter2'],
    ["headers: { 'x-api-key': 'hunter2hunter2' }", 'hunter2'],
    ['server --api-key hunter2hunter2 --port 1', 'hunter2'],
    ['GET http://127.0.0.1:5000/?token=hunter2hunter2&x=1', 'hunter2'],
    ['Open http://127.0.0.1:5000/#token=hunter2hunter2', 'hunter2'],
    ['GET https://user:hunter2@example.org/v1', 'hunter2'],
    ['password=hunter2hunter2', 'hunter2'],
    ['Set-Cookie: id=hunter2; Path=/', 'hunter2'],
    ['GITHUB_TOKEN is ghp_hunter2hunter2', 'hunter2'],
  ])('hides the secret in %s', (text, secret) => {
    expect(redact(text)).not.toContain(secret)
    expect(redact(text)).toContain('[hidden]')
  })

  it.each(['Unexpected token } in JSON at position 4', 'risk-based task-oriented', 'https://example.org/a@b?page=2'])(
    'leaves "%s" as it is',
    (text) => expect(redact(text)).toBe(text),
  )

  it('hides the value of a stored key wherever it appears, in the file and in the terminal', async () => {
    file = openLogFile(folder)
    hideSecret('correct horse')
    log.error('Refused', new Error('the key "correct horse battery" is wrong'))
    expect(await logged()).toContain('the key "[hidden] battery" is wrong')
    expect(shown[0]).not.toContain('correct horse')
  })
})

it('the output of a child process is logged line by line', async () => {
  const stream = new PassThrough()
  logOutput('Code index', stream)
  stream.write('first\nsec')
  stream.end('ond\n\nlast')
  await vi.waitFor(() => expect(shown).toEqual(['Code index: first', 'Code index: second', 'Code index: last']))
})
