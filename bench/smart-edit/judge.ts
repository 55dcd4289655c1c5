import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { matchDescription } from '../../src/main/code/describe/matchDescription.ts'
import { rankCandidates } from '../../src/main/code/describe/rankCandidates.ts'
import { createEngine } from '../../src/main/code/process/indexEngine.ts'

/**
 * A description of a place, written before the ranking was tuned. `at`: the text with which the place begins; absent if
 * nothing may be edited.
 */
const placesSchema = z.array(z.object({ file: z.string(), location: z.string(), at: z.string().optional() }))

export interface Judged {
  file: string
  location: string
  verdict: 'applied' | 'wrong' | 'refused' | 'rightly refused'
  /** The best places with their scores, to analyze errors. */
  best: string
}

/**
 * Judges the places that the descriptions of places.json find in installed packages.
 * @param database path of a temporary index file
 */
export async function judgeDescriptions(database: string): Promise<Judged[]> {
  const root = join(import.meta.dirname, '../../node_modules')
  const places = placesSchema.parse(JSON.parse(await readFile(join(import.meta.dirname, 'places.json'), 'utf8')))
  const engine = createEngine({
    root,
    database,
    grammars: join(root, '../resources/grammars'),
    onNotice: (message) => console.error(message),
  })
  try {
    const judged: Judged[] = []
    for (const { file, location, at } of places) {
      const text = (await readFile(join(root, file), 'utf8')).replaceAll('\r\n', '\n')
      await engine.refresh([file])
      const { symbols } = engine.outline(file)
      const ranked = rankCandidates(text, symbols, location)
      const { chosen } = matchDescription(text, symbols, location)
      const best = ranked
        .slice(0, 3)
        .map(({ passage, score }) => `${passage.name || 'block'}:${passage.startLine} ${score.toFixed(2)}`)
        .join(', ')
      judged.push({ file, location, best, verdict: verdictOf(chosen?.startLine, lineOf(text, file, at)) })
    }
    return judged
  } finally {
    await engine.close()
  }
}

function verdictOf(chosen: number | undefined, wanted: number | undefined): Judged['verdict'] {
  if (chosen === undefined) return wanted === undefined ? 'rightly refused' : 'refused'
  return chosen === wanted ? 'applied' : 'wrong'
}

function lineOf(text: string, file: string, at: string | undefined): number | undefined {
  if (at === undefined) return undefined
  const found = text.indexOf(`\n${at}`)
  if (found < 0 || text.includes(`\n${at}`, found + 1))
    throw new Error(`${file} does not contain "${at}" exactly once: the package has changed.`)
  return text.slice(0, found + 1).split('\n').length
}
