import { describe, expect, it } from 'vitest'
import type { Match } from '../../shared/tools/tool.ts'
import { documentsOnDisk } from '../platform/editor/testing/documentsOnDisk.ts'
import { replaceHits, replaceInFiles } from './replaceInFiles.ts'

/** The hits of `foo` in a line, each replaced with `b`. */
const match = (path: string, line: number, text: string): Match => ({
  path,
  line,
  text,
  replacements: [...text.matchAll(/foo/g)].map(({ index }) => ({
    column: index + 1,
    oldText: 'foo',
    newText: 'b',
    before: text.slice(0, index),
    after: text.slice(index + 3),
  })),
})

describe('replacing in files', () => {
  it('changes closed files on disk, and is undone as one step', async () => {
    const { documents, request, disk } = documentsOnDisk({ 'a.ts': 'foo foo\nx foo\n', 'c.ts': 'foo' })
    const applied = await replaceInFiles({ documents, request }, [
      match('a.ts', 1, 'foo foo'),
      match('a.ts', 2, 'x foo'),
      match('c.ts', 1, 'foo'),
    ])
    expect(applied).toMatchObject({ hits: 4, files: 2, unsaved: [] })
    expect([disk.get('a.ts')?.text, disk.get('c.ts')?.text]).toEqual(['b b\nx b\n', 'b'])
    await applied.undo()
    expect([disk.get('a.ts')?.text, disk.get('c.ts')?.text]).toEqual(['foo foo\nx foo\n', 'foo'])
  })

  it('changes a tab with unsaved text in one undo step and does not save it', async () => {
    const { documents, request, disk, buffer } = documentsOnDisk({ 'a.ts': 'x' })
    await documents.open('a.ts')
    buffer('a.ts').type('foo\nfoo')
    const applied = await replaceInFiles({ documents, request }, [match('a.ts', 1, 'foo'), match('a.ts', 2, 'foo')])
    expect(applied.unsaved).toEqual(['a.ts'])
    expect([documents.buffer('a.ts')?.text(), disk.get('a.ts')?.text]).toEqual(['b\nb', 'x'])
    buffer('a.ts').undo()
    expect(documents.buffer('a.ts')?.text()).toBe('foo\nfoo')
  })

  it('changes nothing if one file has changed since the search', async () => {
    const { documents, request, disk } = documentsOnDisk({ 'a.ts': 'foo', 'c.ts': 'now fo' })
    const replacing = replaceInFiles({ documents, request }, [match('a.ts', 1, 'foo'), match('c.ts', 1, 'now foo')])
    await expect(replacing).rejects.toMatchObject({ code: 'conflict' })
    expect(disk.get('a.ts')?.text).toBe('foo')
  })

  it('rejects hits beyond the end of a line or text', () => {
    const end = { oldText: '', newText: 'x', before: 'ab', after: '' }
    expect(replaceHits('ab', [{ ...end, line: 1, column: 4 }])).toBeNull()
    expect(replaceHits('ab', [{ ...end, line: 2, column: 1 }])).toBeNull()
    expect(replaceHits('ab', [{ ...end, line: 1, column: 3 }])).toBe('abx')
  })

  it('rejects a hit that is part of another word by now, and accepts a change elsewhere in the line', () => {
    const hits = match('a.ts', 1, 'foo = foo').replacements?.map((hit) => ({ ...hit, line: 1 })) ?? []
    expect(replaceHits('foobar = foo', hits.slice(0, 1))).toBeNull()
    expect(replaceHits('foo = food', hits.slice(1))).toBeNull()
    expect(replaceHits('foo = foo // new', hits.slice(0, 1))).toBe('b = foo // new')
  })
})
