import { PieceTreeTextBufferBuilder } from 'monaco-editor/editor/common/model/pieceTreeTextBuffer/pieceTreeTextBufferBuilder'
import { describe, expect, it } from 'vitest'
import { longTextFactory } from './longTextFactory.ts'

function byMonaco(text: string) {
  const builder = new PieceTreeTextBufferBuilder()
  builder.acceptChunk(text)
  return builder.finish().create(1).textBuffer
}

describe('the buffer of a long text', () => {
  it.each([
    ['without a line ending', 'one line'],
    ['that ends with an empty line', 'one\ntwo\n'],
    ['with empty lines only', '\n'.repeat(5000)],
    ['with more lines than expected of its length', 'a\n'.repeat(100_000)],
    ['with other alphabets', 'größe\nשלום\n⚔ end\n'],
    ['with a line separator that is no line ending here', 'one\u2028still one\ntwo'],
  ])('equals the one of Monaco: a text %s', (_kind, text) => {
    const ours = longTextFactory(text).create().textBuffer
    const theirs = byMonaco(text)
    expect(ours.getLength()).toBe(theirs.getLength())
    expect(ours.getLineCount()).toBe(theirs.getLineCount())
    const lines = Array.from({ length: Math.min(ours.getLineCount(), 100) }, (_, index) => index + 1)
    lines.push(ours.getLineCount())
    expect(lines.map((line) => ours.getLineContent(line))).toEqual(lines.map((line) => theirs.getLineContent(line)))
    expect(ours.mightContainRTL()).toBe(theirs.mightContainRTL())
    expect(ours.mightContainUnusualLineTerminators()).toBe(theirs.mightContainUnusualLineTerminators())
  })
})
