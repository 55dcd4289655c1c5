import { cpus, totalmem } from 'node:os'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Row } from './row.ts'

// Runs the benchmarks named on the command line. Without names, runs all and writes bench/RESULTS.md.
const all = [
  'search',
  'index',
  'definitions',
  'call-edges',
  'investigate',
  'meaning',
  'executor',
  'batch',
  'start',
  'memory',
  'folders',
  'first-command',
  'git',
  'typing',
  'diagnostics',
  'completion',
  'review',
  'review-window',
  'replace',
  'terminal',
  'frames',
  'notebook',
  'extensions',
  'conversation',
  'smart-edit',
  'debug',
  'preview',
  'small-model',
  'model-file',
  'sessions',
  'worktrees',
  'remote',
  'real-model',
  'first-edit',
  'fleet',
  'prefix-cache',
  'agents',
  'cost',
] as const
const named = process.argv.slice(2)
const unknown = named.filter((name) => !all.some((known) => known === name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  process.exit(2)
}

const rows: Row[] = []
for (const name of named.length > 0 ? named : all) {
  console.log(`measuring ${name}…`)
  // Each of these files exports `measure`.
  const { measure } = (await import(`./${name}.ts`)) as { measure(): Promise<Row[]> }
  for (const row of await measure()) {
    rows.push(row)
    console.log(line(row))
  }
}
if (named.length === 0) {
  const file = join(import.meta.dirname, 'RESULTS.md')
  const before = await readFile(file, 'utf8')
  // Sections below the table are written by hand.
  const sections = before.indexOf('\n## ')
  await writeFile(file, report(rows) + (sections === -1 ? '' : before.slice(sections)))
}

function line(row: Row): string {
  const share = row.unit === '%'
  const met = row.goal !== undefined && (share ? row.value >= row.goal : row.value <= row.goal)
  const judged =
    row.goal === undefined ? '– | ' : `${share ? '≥' : '≤'} ${figure(row.goal, row.unit)} | ${met ? 'met' : 'missed'}`
  return `| ${row.question} | ${figure(row.value, row.unit)} | ${judged} | ${row.how} |`
}

function figure(value: number, unit: Row['unit']): string {
  if (unit === '%') return `${value.toFixed(1)} %`
  return unit === '×' ? `${value.toFixed(2)}×` : `${value >= 100 ? value.toFixed(0) : value.toFixed(2)} ${unit}`
}

function report(measured: readonly Row[]): string {
  return [
    '# Results',
    '',
    `Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.versions.node}.`,
    'Ratios compare two things measured alternately in the same run. The machine is shared and noisy: look at ratios, not at milliseconds.',
    '',
    '| question | measured | goal | | how |',
    '|---|---|---|---|---|',
    ...measured.map(line),
    '',
  ].join('\n')
}
