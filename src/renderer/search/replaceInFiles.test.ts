import { describe, expect, it } from 'vitest'
import type { Match } from '../../shared/tool.ts'
import { documentsOnDisk } from '../platform/editor/testing/documentsOnDisk.ts'
import { replaceHits, replaceInFiles } from './replaceInFiles.ts'

/** A line with `foo` at these columns, each replaced with `b`. */
const match = (path: string, line: number, ...columns: number[]): Match => ({
  path,
  line,
  text: '',
  replacements: columns.map((column) => ({ column, oldText: 'foo', newText: 'b', before: '', after: '' })),
})

describe('replacing in files', () => {
  it('changes closed files on disk, and is undone as one step', async () => {
    const { documents, request, disk } = documentsOnDisk({ 'a.ts': 'foo foo\nx foo\n', 'c.ts': 'foo' })
    const applied = await replaceInFiles({ documents, request }, [
      match('a.ts', 1, 1, 5),
      match('a.ts', 2, 3),
      match('c.ts', 1, 1),
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
    const applied = await replaceInFiles({ documents, request }, [match('a.ts', 1, 1), match('a.ts', 2, 1)])
    expect(applied.unsaved).toEqual(['a.ts'])
    expect([documents.buffer('a.ts')?.text(), disk.get('a.ts')?.text]).toEqual(['b\nb', 'x'])
    buffer('a.ts').undo()
    expect(documents.buffer('a.ts')?.text()).toBe('foo\nfoo')
  })

  it('changes nothing if one file has changed since the search', async () => {
    const { documents, request, disk } = documentsOnDisk({ 'a.ts': 'foo', 'c.ts': 'now fo' })
    const replacing = replaceInFiles({ documents, request }, [match('a.ts', 1, 1), match('c.ts', 1, 5)])
    await expect(replacing).rejects.toMatchObject({ code: 'conflict' })
    expect(disk.get('a.ts')?.text).toBe('foo')
  })

  it('rejects hits beyond the end of a line or text', () => {
    expect(replaceHits('ab', [{ line: 1, column: 4, oldText: '', newText: 'x' }])).toBeNull()
    expect(replaceHits('ab', [{ line: 2, column: 1, oldText: '', newText: 'x' }])).toBeNull()
    expect(replaceHits('ab', [{ line: 1, column: 3, oldText: '', newText: 'x' }])).toBe('abx')
  })
})
