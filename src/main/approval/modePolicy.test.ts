import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { modes, risks, type Mode, type Risk } from '../../shared/tools/risk.ts'
import { commandKinds, commandTable, decisionFor, isRiskCovered, riskTable, type PolicyDecision } from './modePolicy.ts'

const cells: [Mode, Risk, PolicyDecision][] = [
  ['safe', 'read', 'allow'],
  ['safe', 'write', 'ask'],
  ['safe', 'execute', 'ask'],
  ['safe', 'network', 'ask'],
  ['safe', 'destructive', 'ask'],
  ['cautious', 'read', 'allow'],
  ['cautious', 'write', 'allow'],
  ['cautious', 'execute', 'ask'],
  ['cautious', 'network', 'ask'],
  ['cautious', 'destructive', 'ask'],
  ['paranoid', 'read', 'ask'],
  ['paranoid', 'write', 'ask'],
  ['paranoid', 'execute', 'ask'],
  ['paranoid', 'network', 'ask'],
  ['paranoid', 'destructive', 'ask'],
  ['yolo', 'read', 'allow'],
  ['yolo', 'write', 'allow'],
  ['yolo', 'execute', 'allow'],
  ['yolo', 'network', 'allow'],
  ['yolo', 'destructive', 'allow'],
  ['plan', 'read', 'allow'],
  ['plan', 'write', 'refuse'],
  ['plan', 'execute', 'refuse'],
  ['plan', 'network', 'refuse'],
  ['plan', 'destructive', 'refuse'],
]

describe('the mode policy', () => {
  it('is tested for every mode and risk', () => {
    expect(new Set(cells.map(([mode, risk]) => `${mode} ${risk}`)).size).toBe(modes.length * risks.length)
  })

  it.each(cells)('%s mode, %s risk: %s', (mode, risk, weight) => {
    expect(decisionFor(mode, risk)).toBe(weight)
  })
})

it('a grant covers its own risk and lower ones', () => {
  for (const [given, granted] of risks.entries())
    for (const [wanted, risk] of risks.entries()) expect(isRiskCovered(granted, risk)).toBe(wanted <= given)
})

it('docs/architecture/approval.md has the tables', async () => {
  const docs = await readFile(new URL('../../../docs/architecture/approval.md', import.meta.url), 'utf8')
  const table = (name: string) => docs.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0]?.trim()
  const rows = (header: readonly string[], cell: (mode: Mode) => readonly string[]) =>
    [['', ...header], header.map(() => '---'), ...modes.map((mode) => [mode, ...cell(mode)])]
      .map((row, index) => (index === 1 ? `|---|${row.join('|')}|` : `| ${row.join(' | ')} |`.replace('|  |', '| |')))
      .join('\n')
  expect(table('risk table')).toBe(rows(risks, (mode) => risks.map((risk) => riskTable[mode][risk])))
  expect(table('command table')).toBe(rows(Object.values(commandKinds), (mode) => Object.values(commandTable[mode])))
})
