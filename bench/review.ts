import { memoryReview } from '../src/main/review/testing/memoryReview.ts'
import { pending, reviewedFolder } from '../src/main/review/testing/reviewedFolder.ts'
import { reviewOf } from '../src/main/review/textReview.ts'
import { median, sideBySide, time, type Row } from './row.ts'

const rounds = 15
const files = 200
const lineCount = 100_000
/** Every how many lines the agent changes one. */
const changedEvery = 1000

/** Measures main's part of a review: a keystroke in a large file, and opening a review of many files. */
export async function measure(): Promise<Row[]> {
  return [...(await largeFile()), await manyFiles()]
}

async function largeFile(): Promise<Row[]> {
  const made = memoryReview()
  const lines = Array.from(
    { length: lineCount },
    (_, index) => `  const value${index} = compute(${index}) // ${'·'.repeat(8)}`,
  )
  const base = `${lines.join('\n')}\n`
  const changed = `${lines.map((line, index) => (index % changedEvery === 0 ? `${line} // changed` : line)).join('\n')}\n`
  made.write('large.ts', base)
  await made.agent('turn', ['large.ts'], () => made.write('large.ts', changed))
  let text = changed
  const at = text.indexOf('value50500')
  const key = async () => {
    text = `${text.slice(0, at)}x${text.slice(at)}`
    made.type('large.ts', text)
    const { hunkList } = await made.review.hunks({ kind: 'pending' }, 'large.ts')
    if (hunkList.length !== lineCount / changedEvery) throw new Error('The hunks are wrong.')
  }
  const whole = async () => void reviewOf(base, text)
  const { ours, baseline } = await sideBySide(rounds, key, whole)
  await made.review.close()
  const size = `${(base.length / 1e6).toFixed(1)} million characters, ${lineCount / changedEvery} hunks`
  return [
    {
      question: 'hunks of a 5 MB file after one key, in the main process',
      value: ours,
      unit: 'ms',
      goal: 16,
      how: `median of ${rounds} keys in the middle; ${size}; \`npm run bench -- review\``,
    },
    {
      question: 'hunks of a 5 MB file after one key, against comparing the whole texts',
      value: ours / baseline,
      unit: '×',
      goal: 1,
      how: `medians: ${ours.toFixed(1)} ms against ${baseline.toFixed(1)} ms; ${size}; \`npm run bench -- review\``,
    },
  ]
}

async function manyFiles(): Promise<Row> {
  const folder = await reviewedFolder(
    Object.fromEntries(Array.from({ length: files }, (_, index) => [`file${index}.ts`, 'line\n'.repeat(500)])),
  )
  try {
    await folder.command('for file in *.ts; do echo changed >> $file; done')
    await folder.listed()
    const times: number[] = []
    for (let round = 0; round < 5; round += 1) {
      await folder.restart()
      times.push(await time(() => folder.request('review.list', { scope: pending })))
    }
    const listed = await folder.listed()
    if (listed.length !== files) throw new Error(`${listed.length} files are listed.`)
    return {
      question: `listing a review of ${files} files after a start, in the main process`,
      value: median(times),
      unit: 'ms',
      goal: 300,
      how: 'median of 5 starts; unchanged files are not read; `npm run bench -- review`',
    }
  } finally {
    await folder.remove()
  }
}
