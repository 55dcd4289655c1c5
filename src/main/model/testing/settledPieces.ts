import type { AnswerPiece } from '../textCalls/callFinder.ts'

export type SettledPiece = Exclude<AnswerPiece, { kind: 'wasReasoning' }>

/** Returns the pieces of an answer as they count at its end: text that turned out to be reasoning is reasoning. */
export function settledPieces(pieces: readonly AnswerPiece[]): SettledPiece[] {
  const end = pieces.findLastIndex(({ kind }) => kind === 'wasReasoning')
  return pieces.flatMap((piece, at) => {
    if (piece.kind === 'wasReasoning') return []
    if (at > end) return [piece]
    return piece.kind === 'call' ? [] : [{ kind: 'reasoning', text: piece.text }]
  })
}
