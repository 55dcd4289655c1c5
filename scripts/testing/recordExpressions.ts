import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { hashOf, regexLiterals } from './expressions.ts'

// Judges the expressions that expressions.json does not know, records the linear ones and prints the others:
// node scripts/testing/recordExpressions.ts

const file = join(import.meta.dirname, 'expressions.json')
const record: { linear: string[]; judged: Record<string, string> } = JSON.parse(readFileSync(file, 'utf8'))
const all = regexLiterals()
const known = new Set(record.linear.flatMap((line) => line.split(' ')))
const used = new Set(all.map(({ text }) => hashOf(text)))
const linear = [...known].filter((hash) => used.has(hash))
for (const { text, pattern, flags, files } of all) {
  if (known.has(hashOf(text)) || Object.hasOwn(record.judged, text)) continue
  const verdict = await check(pattern, flags.replaceAll(/[dv]/g, ''), { timeout: 20_000, checker: 'automaton' })
  if (verdict.status === 'safe') linear.push(hashOf(text))
  else
    console.log(
      `${text} in ${files.join(', ')}: ${verdict.status === 'vulnerable' ? verdict.complexity.summary : 'not judged'}`,
    )
}
const sorted = linear.toSorted()
const lines = Array.from({ length: Math.ceil(sorted.length / 12) }, (_, row) =>
  sorted.slice(row * 12, row * 12 + 12).join(' '),
)
writeFileSync(file, `${JSON.stringify({ linear: lines, judged: record.judged }, null, 2)}\n`)
