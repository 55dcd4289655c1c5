import { expect, it } from 'vitest'
import type { AuditEntry } from '../../shared/tools/audit.ts'
import { auditSubject, filterAudit } from './auditFilter.ts'

const base: AuditEntry = {
  at: 1,
  verdict: 'allowed',
  by: 'mode',
  tool: 'read_file',
  risk: 'read',
  mode: 'safe',
  callId: 'c',
  client: 'window',
  reads: ['src/a.ts'],
}
const command: AuditEntry = {
  ...base,
  tool: 'run_command',
  verdict: 'refused',
  by: 'user',
  command: 'npm test',
  reads: [],
}
const entries = [base, command]

it('finds entries by all words, in any order and case, and by verdict', () => {
  expect(filterAudit(entries, { query: 'TEST npm', verdict: 'all' })).toEqual([command])
  expect(filterAudit(entries, { query: 'a.ts', verdict: 'all' })).toEqual([base])
  expect(filterAudit(entries, { query: '', verdict: 'refused' })).toEqual([command])
  expect(filterAudit(entries, { query: 'npm build', verdict: 'all' })).toEqual([])
  const hook: AuditEntry = { ...command, by: 'hook', source: '.claude/settings.json' }
  expect(filterAudit([hook, command], { query: 'claude/settings', verdict: 'all' })).toEqual([hook])
})

it('returns the command, paths or scope of a call', () => {
  expect(auditSubject(command)).toBe('npm test')
  expect(auditSubject({ ...base, writes: ['src/a.ts', 'b'] })).toBe('src/a.ts, b')
  expect(auditSubject({ ...base, scope: 'GET https://example.com' })).toBe('GET https://example.com')
})
