import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AuditEntry } from '../../shared/tools/audit.ts'
import { hideSecret } from '../base/log/redact.ts'
import { openAuditLog } from './auditLog.ts'

let userData: string
const problems: string[] = []
const open = (limits: { maxBytes?: number; maxFiles?: number } = {}) =>
  openAuditLog(userData, { ...limits, onProblem: (message) => problems.push(message) })
const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1,
  verdict: 'allowed',
  by: 'mode',
  tool: 'run_command',
  risk: 'execute',
  mode: 'yolo',
  callId: 'c',
  client: 'window',
  ...change,
})

beforeEach(async () => {
  userData = await mkdtemp(join(tmpdir(), 'tizona-audit-'))
  problems.length = 0
})
afterEach(() => rm(userData, { recursive: true, force: true }))

it('appends one JSON object per line to a file that only the user can read, and returns the latest first', async () => {
  const audit = open()
  audit.record(entry({ at: 1, command: 'echo one' }))
  audit.record(entry({ at: 2, verdict: 'refused', by: 'user', reason: 'not now' }))
  await audit.flush()
  const path = join(userData, 'audit', 'audit.jsonl')
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as AuditEntry).at)).toEqual([1, 2])
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
  // Another process appends to the same file.
  const other = open()
  other.record(entry({ at: 3 }))
  expect(await other.read()).toMatchObject({ path, entries: [{ at: 3 }, { at: 2 }, { at: 1 }], truncated: false })
})

it('writes a decision at once, except one about a read that the mode allows', async () => {
  const path = join(userData, 'audit', 'audit.jsonl')
  const lines = async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1
  const audit = open()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    audit.record(entry({ risk: 'read' }))
    await new Promise(setImmediate)
    expect(await lines()).toBe(0)
    // It takes the waiting lines along.
    audit.record(entry({ risk: 'read', by: 'user' }))
    while ((await lines()) < 2) await new Promise(setImmediate)
    audit.record(entry({ risk: 'execute' }))
    while ((await lines()) < 3) await new Promise(setImmediate)
    audit.record(entry({ risk: 'read' }))
    vi.advanceTimersByTime(1000)
    while ((await lines()) < 4) await new Promise(setImmediate)
  } finally {
    vi.useRealTimers()
  }
})

it('contains no keys', async () => {
  hideSecret('a-very-secret-value')
  const audit = open()
  audit.record(
    entry({
      command: 'curl -H "Authorization: Bearer abcdef123456" https://x?api_key=a-very-secret-value',
      reason: 'sk-abcdefgh12345678',
      writes: ['a-very-secret-value.txt'],
    }),
  )
  await audit.flush()
  const text = await readFile(join(userData, 'audit', 'audit.jsonl'), 'utf8')
  expect(text).toContain('curl')
  expect(text).not.toMatch(/abcdef123456|a-very-secret-value|sk-abcdefgh/)
})

it('begins a new file when one is full, and keeps a limited number', async () => {
  const audit = open({ maxBytes: 1000, maxFiles: 3 })
  for (let at = 0; at < 60; at++) {
    audit.record(entry({ at }))
    await audit.flush()
  }
  expect((await readdir(join(userData, 'audit'))).toSorted()).toEqual(['audit.1.jsonl', 'audit.2.jsonl', 'audit.jsonl'])
  const { entries } = await audit.read()
  expect(entries[0]?.at).toBe(59)
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => b - a))
})

it('skips damaged lines', async () => {
  const audit = open()
  audit.record(entry({ at: 1 }))
  await audit.flush()
  await writeFile(join(userData, 'audit', 'audit.jsonl'), '{"at": 7, "verdict"\nnull\n{"at":"x"}\n', { flag: 'a' })
  expect((await audit.read()).entries).toMatchObject([{ at: 1 }])
})

it('reports once that it cannot write, and records again once it can', async () => {
  await writeFile(join(userData, 'audit'), 'a file where the folder should be')
  const audit = open()
  for (let at = 0; at < 5; at++) {
    audit.record(entry({ at }))
    await audit.flush()
  }
  expect(problems).toEqual([expect.stringContaining('cannot be recorded')])
  await rm(join(userData, 'audit'))
  audit.record(entry({ at: 9 }))
  expect((await audit.read()).entries).toMatchObject([{ at: 9 }])
})
