import { synonyms, extractTerms } from './descriptionTerms.ts'

/** A line that shares words with a description. */
export interface MatchingLine {
  line: number
  text: string
}

const maxLines = 5
const maxLineLength = 160
const statementPattern =
  /^(?:the )?(?:if|else|elif|unless|when|while|return|returns|throw|throws|raise|raises|case|switch|for each|for every|for loop|loops?|branch|condition|statement|call to|call of|calls? (?:that|which|where)|lines?|(?:first|last|next) (?:line|statement|call|branch|argument|parameter))\b/i
const partPattern =
  /^(?:(?:at|in|to|inside|within) )?(?:the )?(?:very )?(?:end|start|beginning|top|bottom|inside|body|signature|header|return type|return value|arguments?|parameters?|docstring|decorators?) (?:of|in)\b/i
const positionPattern = /^(?:just |right |directly )?(?:before|after|above|below|under|inside|within)\b/i

/**
 * Whether a description refers to part of a definition, or to a position in or next to one: a condition, a statement,
 * the end of a function. Its words also match the enclosing definition, which must not be selected instead.
 */
export function describesPartOfDefinition(description: string): boolean {
  const text = description.trim()
  return statementPattern.test(text) || partPattern.test(text) || positionPattern.test(text)
}

/** Returns the lines that share at least half of the words with a description, best first. */
export function findMatchingLines(text: string, description: string): MatchingLine[] {
  const wanted = [...new Set(extractTerms(description))].map((term) => [term, ...synonyms(term)])
  const needed = Math.max(1, Math.ceil(wanted.length / 2))
  const scored = text.split('\n').flatMap((line, index) => {
    const own = new Set(extractTerms(line.slice(0, 1_000)))
    const shared = wanted.filter((group) => group.some((term) => own.has(term))).length
    return shared < needed
      ? []
      : [{ line: index + 1, text: line.trim().slice(0, maxLineLength).toWellFormed(), shared }]
  })
  return scored
    .toSorted((a, b) => b.shared - a.shared || a.line - b.line)
    .slice(0, maxLines)
    .map(({ line, text: excerpt }) => ({ line, text: excerpt }))
}
