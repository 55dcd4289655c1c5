import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { matchDescription } from '../../src/main/code/describe/matchDescription.ts'
import { rankCandidates } from '../../src/main/code/describe/rankCandidates.ts'
import { createEngine } from '../../src/main/code/index/indexEngine.ts'

/**
 * A description as a person wrote it before anything was tuned. `at`: the text its place begins with; absent where nothing may be
 * edited.
 */
const placesSchema = z.array(z.object({ file: z.string(), location: z.string(), at: z.string().optional() }))

export interface Judged {
  file: string
  location: string
  verdict: 'applied' | 'wrong' | 'refused' | 'rightly refused'
  /** The best places with their scores, for a look at what went wrong. */
  best: string
}

/** Tries every description of places.json on the installed packages it is about. @param database a throw-away index file */
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
    throw new Error(`${file} holds "${at}" not once: the package changed.`)
  return text.slice(0, found + 1).split('\n').length
}
