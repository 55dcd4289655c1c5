const lookAlikes: readonly (readonly [plain: string, others: string])[] = [
  ["'", '\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\u00b4\uff07'],
  ['"', '\u201c\u201d\u201e\u201f\u2033\u2036\uff02'],
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d'],
  [' ', '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
]

const plainOf = new Map(lookAlikes.flatMap(([plain, others]) => Array.from(others, (other) => [other, plain] as const)))
const anyLookAlike = new RegExp(`[${[...plainOf.keys()].join('')}]`, 'g')

/** Replaces typographic quotes, dashes and spaces with ASCII characters. Keeps lengths, so offsets stay valid. */
export function foldLookAlikes(text: string): string {
  return text.replace(anyLookAlike, (character) => plainOf.get(character) ?? character)
}

/**
 * Converts texts to the Unicode form (composed or decomposed) in which the file contains the first of them. Unchanged
 * if the file contains it as is, or in neither form.
 */
export function inFormOf(file: string, [first = '', ...others]: readonly string[]): string[] {
  const texts = [first, ...others]
  if (first.normalize('NFC') === first.normalize('NFD') || file.includes(first)) return texts
  const forms = ['NFC', 'NFD'] as const
  const form =
    forms.find((one) => file.includes(first.normalize(one))) ?? forms.find((one) => file === file.normalize(one))
  return form === undefined ? texts : texts.map((text) => text.normalize(form))
}
