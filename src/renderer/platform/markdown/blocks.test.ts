import { describe, expect, it } from 'vitest'
import { blocksOfFinished, splitBlocks, type MarkdownBlocks } from './blocks.ts'

const sample = `# Title

First paragraph
goes on.

1. one

   more of one

2. two

After the list:
\`\`\`ts
const a = 1

const b = 2
\`\`\`
Last words`

/** Feeds a text in pieces, as tokens arrive. */
function stream(text: string, size: number): MarkdownBlocks {
  let blocks: MarkdownBlocks | undefined
  for (let end = size; end < text.length + size; end += size) blocks = splitBlocks(text.slice(0, end), blocks)
  return blocks ?? splitBlocks(text)
}

describe('splitBlocks', () => {
  it('keeps every character', () => {
    const { finished, rest } = splitBlocks(sample)
    expect(finished.join('') + rest).toBe(sample)
  })

  it('separates headings, paragraphs, lists and fences', () => {
    const { finished, rest } = splitBlocks(sample)
    expect(finished.map((block) => block.trim().split('\n')[0])).toEqual([
      '# Title',
      'First paragraph',
      '1. one',
      'After the list:',
      '```ts',
    ])
    expect(rest).toBe('Last words')
  })

  it('keeps a loose list together, so that its numbering continues', () => {
    const list = splitBlocks(sample).finished.find((block) => block.startsWith('1.'))
    expect(list).toContain('2. two')
  })

  it('does not split at a blank line inside a fence', () => {
    const fence = splitBlocks(sample).finished.find((block) => block.startsWith('```'))
    expect(fence).toBe('```ts\nconst a = 1\n\nconst b = 2\n```\n')
  })

  it.each([1, 2, 3, 7, 20])('returns the same blocks for chunks of %i characters', (size) => {
    const whole = splitBlocks(sample)
    const pieces = stream(sample, size)
    expect(pieces.finished).toEqual(whole.finished)
    expect(pieces.rest).toBe(whole.rest)
  })

  it('never changes a block that was finished', () => {
    let blocks: MarkdownBlocks | undefined
    for (let end = 1; end <= sample.length; end += 1) {
      const before: string[] = blocks?.finished ?? []
      blocks = splitBlocks(sample.slice(0, end), blocks)
      expect(blocks.finished.slice(0, before.length)).toEqual(before)
    }
  })

  it('returns the code of an open fence', () => {
    expect(splitBlocks('Look:\n\n```rust\nfn main() {').openFence).toEqual({ language: 'rust', code: 'fn main() {' })
    expect(splitBlocks('```\na\n```\n').openFence).toBeUndefined()
  })

  it('closes a fence only with at least as many marks as opened it', () => {
    const { openFence } = splitBlocks('````md\n```ts\nx\n```\nstill inside')
    expect(openFence?.code).toContain('still inside')
  })

  it('starts again for another text', () => {
    const first = splitBlocks('one\n\ntwo')
    expect(splitBlocks('three\n\nfour', first)).toEqual(splitBlocks('three\n\nfour'))
  })
})

describe('blocksOfFinished', () => {
  it('keeps a text with link definitions in one piece', () => {
    const text = 'See [it][1].\n\nMore.\n\n[1]: https://example.org\n'
    expect(blocksOfFinished(text)).toEqual([text])
  })

  it('includes the last block', () => {
    expect(blocksOfFinished('one\n\ntwo')).toEqual(['one\n\n', 'two'])
  })
})
