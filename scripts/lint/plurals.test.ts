import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

describe('a number with a plural noun', () => {
  it('uses the helper (src/shared/text/plural.ts) wherever the number can be one', () => {
    expect(
      sources('src').flatMap((file) => plain(readFileSync(file, 'utf8')).map((found) => `${file}: ${found}`)),
    ).toEqual([])
  })

  it('is formatted by formatNumber (src/shared/text/formatNumber.ts) wherever it is shown', () => {
    const formatted = sources('src').filter(
      (file) =>
        !file.endsWith('formatNumber.ts') &&
        /\.toLocaleString\(|\.toFixed\(|NumberFormat/.test(readFileSync(file, 'utf8')),
    )
    expect(formatted).toEqual([])
  })

  it('is detected if the helper is missing, in templates and in JSX', () => {
    expect(plain('`Show ${lines.length} lines`')).toEqual(['${lines.length} lines'])
    expect(plain('<b>Show {matches.length} more matches</b>')).toEqual(['{matches.length} more matches'])
    expect(
      plain("`${plural(count, 'line')} of ${maxLines} lines, ${limits.files} files` <Row label={label} tokens={1} />"),
    ).toEqual([])
  })
})

const nouns =
  'lines|files|matches|characters|bytes|tokens|edits|hunks|calls|turns|places|references|steps|patches|sections|blocks|messages|conversations|' +
  'digits|requests|pages|folders|symbols|edges|servers|entries|results|tools|items|models|pictures|checkpoints|problems|errors|warnings'
const numberBeforeNoun = new RegExp(
  String.raw`(?<!=)\$?\{((?:[^{}\n]|\{[^{}\n]*\})*)\}(?:</\w+>)? (?:(?:more|other|matching) )?(?:${nouns})\b`,
  'g',
)
/** Limits, which are far above one, and names that precede a noun or a verb by chance. */
const exempt =
  /^(?:format(?:Number|Tokens)\()?(max|contextWindow\b|most|longest|limits?\.|\w+Cap\b|contextLines|window$|words$|count$|file$|of$|left$|container$|characters\.|bytes$|missing\b|chosen\.steps|found\.language|args\.language|Math\.min)/

/** Numbers with a plural noun that do not come from the helper. */
function plain(text: string): string[] {
  return [...text.matchAll(numberBeforeNoun)]
    .filter(([, expression = '']) => !exempt.test(expression) && !/\bplural\(/.test(expression))
    .map(([found]) => found)
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|testing/i.test(file))
    .map((file) => join(folder, file))
}
