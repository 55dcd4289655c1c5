/** Maximum number of adjacent words in a replacement, on either side. */
const maxWords = 3
/** Maximum number of edits. */
const maxEdits = 400

/** Returns the runs of adjacent words of a task, the shortest first. */
export function piecesOf(task: string): string[] {
  return [...new Set(spans(wordsIn(task)).map(([from, to]) => task.slice(from, to)))]
}

/** Returns the words of a task that can be paths of new files. */
export function newPathsIn(task: string, existing: readonly string[]): string[] {
  const words = task.split(/\s+/).map((word) => word.replaceAll(/^["'`«“([]{1,9}|["'`»”)\].,;:!?]{1,9}$/g, ''))
  return [...new Set(words)].filter((word) => /[\p{L}\p{N}][./]\p{L}/u.test(word) && !existing.includes(word))
}

/**
 * Returns the lines that result if words of the task replace words of a line: one word by a few, or several by the same
 * number, separated only by spaces.
 */
export function lineEdits(line: string, task: string): string[] {
  const pieces = piecesOf(task).filter((piece) => !line.includes(piece))
  const edits = spans(wordsIn(line)).flatMap(([from, to]) => {
    const words = wordsIn(line.slice(from, to)).length
    if (words > 1 && /[^\p{L}\p{N}_.\s-]/u.test(line.slice(from, to))) return []
    return pieces
      .filter((piece) => words === 1 || wordsIn(piece).length === words)
      .map((piece) => line.slice(0, from) + piece + line.slice(to))
  })
  return [...new Set(edits)].slice(0, maxEdits)
}

type Span = readonly [from: number, to: number]

/** Returns the ranges of the words in a text. Versions, numbers and names with dots or hyphens are one word. */
function wordsIn(text: string): Span[] {
  return [...text.matchAll(/[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu)].map(({ index, 0: word }) => [
    index,
    index + word.length,
  ])
}

/** Returns all runs of adjacent words, the shortest first. */
function spans(words: readonly Span[]): Span[] {
  return Array.from({ length: maxWords }, (_, more) =>
    words.flatMap(([from], at): Span[] => {
      const end = words[at + more]?.[1]
      return end === undefined ? [] : [[from, end]]
    }),
  ).flat()
}
