import { describe, expect, it, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { parseEnvelope } from './envelope.ts'
import { applyHunks } from './envelopeHunks.ts'

/** The text after the update of one file. */
function update(text: string, ...lines: string[]): string {
  const [section] = parseEnvelope(['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch'].join('\n'))
  if (section?.kind !== 'update') throw new Error('no update')
  return applyHunks(text, section.hunks, 'f').text
}

function failure(work: () => unknown): ToolError {
  try {
    work()
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('it succeeded')
}

const added = ['*** Begin Patch', '*** Add File: a.txt', '+one', '+', '+two', '*** End Patch']

describe('the envelope', () => {
  it('parses every kind of section', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new/a.txt',
      '+one',
      '*** Update File: b.txt',
      '*** Move to: c.txt',
      '@@ class A',
      '@@ def f',
      ' x',
      '-y',
      '+z',
      '*** End of File',
      '*** Update File: d.txt',
      ' before any header',
      '+new',
      '@@',
      '-old',
      '',
      '*** Delete File: e.txt',
      '*** End Patch',
    ]
    expect(parseEnvelope(patch.join('\n'))).toEqual([
      { kind: 'add', path: 'new/a.txt', at: 2, text: 'one\n' },
      {
        kind: 'update',
        path: 'b.txt',
        at: 4,
        moveTo: 'c.txt',
        hunks: [
          {
            at: 6,
            headers: ['class A', 'def f'],
            endOfFile: true,
            lines: [
              { mark: ' ', text: 'x' },
              { mark: '-', text: 'y' },
              { mark: '+', text: 'z' },
            ],
          },
        ],
      },
      {
        kind: 'update',
        path: 'd.txt',
        at: 12,
        hunks: [
          {
            at: 13,
            headers: [],
            endOfFile: false,
            lines: [
              { mark: ' ', text: 'before any header' },
              { mark: '+', text: 'new' },
            ],
          },
          {
            at: 15,
            headers: [],
            endOfFile: false,
            lines: [
              { mark: '-', text: 'old' },
              { mark: ' ', text: '' },
            ],
          },
        ],
      },
      { kind: 'delete', path: 'e.txt', at: 18 },
    ])
  })

  it.each([
    ['a heredoc', ["<<'EOF'", ...added, 'EOF'], 3],
    ['a heredoc with the command', ['apply_patch <<"PATCH"', ...added, 'PATCH', ''], 3],
    ['a code fence', ['```diff', ...added, '```'], 3],
    ['blank lines around', ['', ...added, '', ''], 3],
    ['Windows line endings', [added.join('\r\n')], 2],
  ])('is read with %s', (_, lines, at) => {
    expect(parseEnvelope(lines.join('\n'))).toEqual([{ kind: 'add', path: 'a.txt', at, text: 'one\n\ntwo\n' }])
  })

  test.each<[string, string[], number]>([
    ['nothing', [''], 1],
    ['no start marker', ['hello', '*** Update File: f', '+x', '*** End Patch'], 1],
    ['no end marker', ['*** Begin Patch', '*** Add File: f', '+x'], 3],
    ['only a start marker', ['*** Begin Patch'], 1],
    ['no section', ['*** Begin Patch', '*** End Patch'], 1],
    ['a line before the first section', ['*** Begin Patch', 'hello', '*** End Patch'], 2],
    ['an unknown section', ['*** Begin Patch', '*** Change File: f', '*** End Patch'], 2],
    ['no path', ['*** Begin Patch', '*** Delete File: ', '*** End Patch'], 2],
    ['a new file with a line without "+"', ['*** Begin Patch', '*** Add File: f', '+x', 'y', '*** End Patch'], 4],
    ['a deletion with lines', ['*** Begin Patch', '*** Delete File: f', '-x', '*** End Patch'], 3],
    ['an update without lines', ['*** Begin Patch', '*** Update File: f', '*** End Patch'], 2],
    [
      'an update with a line without a marker',
      ['*** Begin Patch', '*** Update File: f', ' a', 'b', '*** End Patch'],
      4,
    ],
    ['a header without lines', ['*** Begin Patch', '*** Update File: f', '@@ x', '*** End Patch'], 3],
    ['no path to move to', ['*** Begin Patch', '*** Update File: f', '*** Move to:', ' a', '*** End Patch'], 3],
    ['an end of file without lines', ['*** Begin Patch', '*** Update File: f', '*** End of File', '*** End Patch'], 3],
    [
      'a malformed line inside a heredoc',
      ["<<'EOF'", '*** Begin Patch', '*** Update File: f', '!', '*** End Patch', 'EOF'],
      4,
    ],
  ])('is refused with %s, and names the line', (_, lines, at) => {
    const error = failure(() => parseEnvelope(lines.join('\n')))
    expect(error.code).toBe('invalid_arguments')
    expect(error.message).toContain(`Line ${at} of the patch`)
    expect(error.next).not.toBe('')
  })
})

describe('the envelope as models also write it', () => {
  const sections = (...lines: string[]) => parseEnvelope(lines.join('\n')).map(({ kind, path }) => `${kind} ${path}`)

  it('can start with its first section', () => {
    expect(sections('*** Update File: f', '-a', '+b', '*** End Patch')).toEqual(['update f'])
    expect(sections('```', '*** Add File: g', '+b', '```')).toEqual(['add g'])
  })

  it('can be indented, and headers can be indented outside of file content', () => {
    expect(sections('  *** Begin Patch', '  *** Update File: f', '   a', '  -b', '  *** End Patch')).toEqual([
      'update f',
    ])
    expect(
      sections(
        '*** Begin Patch',
        '  *** Add File: f',
        '+x',
        '  *** Delete File: g',
        ' *** Update File: h',
        '-a',
        '*** End Patch',
      ),
    ).toEqual(['add f', 'delete g', 'update h'])
  })

  it('keeps marks inside file content', () => {
    const [section] = parseEnvelope(
      ['*** Begin Patch', '*** Update File: f', ' *** Update File: g', ' *** End of File', '-a', '*** End Patch'].join(
        '\n',
      ),
    )
    expect(section).toMatchObject({
      hunks: [
        {
          endOfFile: false,
          lines: [{ text: '*** Update File: g' }, { text: '*** End of File' }, { mark: '-', text: 'a' }],
        },
      ],
    })
  })
})

describe('an update', () => {
  it('changes, adds and removes lines after nested headers', () => {
    const text = 'class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n  def g():\n    pass\n'
    expect(
      update(
        text,
        '@@ class B',
        '@@   def f():',
        '-    pass',
        '+    return 1',
        '@@ def g',
        '-    pass',
        '+    return 2',
      ),
    ).toBe('class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n  def g():\n    return 2\n')
  })

  it('matches lines exactly, then without trailing space, without edge space, with look-alikes', () => {
    expect(update('a\nb \n', '-b ', '+c')).toBe('a\nc\n')
    expect(update('b\nx\nb  \n', '-b', '+c')).toBe('c\nx\nb  \n')
    expect(update('a\nb  \nend\t\n', ' a', '-b', '+c', ' end')).toBe('a\nc\nend\t\n')
    expect(update('  if x:\n    y\n', ' if x:', '-  y', '+  z')).toBe('  if x:\n    z\n')
    expect(update('say \u201chi\u201d \u2014 now\nb\n', ' say "hi" - now', '-b', '+c')).toBe(
      'say \u201chi\u201d \u2014 now\nc\n',
    )
  })

  it('keeps a final newline, or none', () => {
    expect(update('a\nb', '-b', '+c')).toBe('a\nc')
    expect(update('a\nb\n', '-b', '+c')).toBe('a\nc\n')
    expect(update('a\nb', ' b', '+c')).toBe('a\nb\nc')
    expect(update('', '+first')).toBe('first\n')
    expect(update('a\n', '-a')).toBe('')
  })

  it('adds lines without context after their header, or at the end', () => {
    expect(update('a\nb\n', '@@ a', '+new')).toBe('a\nnew\nb\n')
    expect(update('a\nb\n', '+new')).toBe('a\nb\nnew\n')
  })

  it('matches the last lines for *** End of File', () => {
    expect(update('x\ny\nx\n', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n')
    expect(failure(() => update('x\ny\n', '-x', '+z', '*** End of File')).message).toContain('not its end')
  })

  it('ignores an empty line at the end of a hunk if the file has none', () => {
    expect(update('a\nb\nc\n', '-a', '+A', '', '@@', '-c', '+C')).toBe('A\nb\nC\n')
  })

  it('prefers a match at most 3 lines after its header or the previous hunk', () => {
    const lines = (gap: number) => `x\nhead\n${'-\n'.repeat(gap)}x\nx2\n${'-\n'.repeat(9)}x\n`
    expect(update(lines(3), '@@ head', '-x', '+y')).toBe(lines(3).replace('-\nx\n', '-\ny\n'))
    expect(failure(() => update(lines(4), '@@ head', '-x', '+y')).code).toBe('ambiguous_match')
    expect(update('a\n1\n2\n3\nx\nq\nx\n', '-a', '+b', '@@', '-x', '+y')).toBe('b\n1\n2\n3\ny\nq\nx\n')
    expect(failure(() => update('a\n1\n2\n3\n4\nx\nq\nx\n', '-a', '+b', '@@', '-x', '+y')).code).toBe('ambiguous_match')
    expect(failure(() => update('a\nx\nx\n', '-a', '+b', '@@', '-x', '+y')).code).toBe('ambiguous_match')
    expect(update('x\n1\n2\n3\n4\nx\n', '@@ -6,1 +6,1 @@', '-x', '+y')).toBe('x\n1\n2\n3\n4\ny\n')
    expect(update('a\n1\n2\n3\n4\n5\nx\n', '@@ a', '-x', '+y')).toBe('a\n1\n2\n3\n4\n5\ny\n')
  })

  it('rejects several matches if nothing selects one', () => {
    const error = failure(() => update('x\na\nx\n', '-x', '+y'))
    expect(error.code).toBe('ambiguous_match')
    expect(error.message).toContain('2 positions')
    expect(failure(() => update('f\nx\nf\nx\n', '@@ f', '-x', '+y')).code).toBe('ambiguous_match')
    expect(failure(() => update('f\nx\nf\nx\n', '@@ f', '+y')).code).toBe('ambiguous_match')
  })

  it('reports the most similar lines for a missing hunk, and hunks in the wrong order', () => {
    const error = failure(() => update('const total = sum(list)\nb\n', '-const totals = sum(list)', '+x'))
    expect(error.code).toBe('no_match')
    expect(error.message).toContain('1: const total = sum(list)')
    expect(failure(() => update('a\nb\n', '@@ nowhere', '-a')).message).toContain('@@ nowhere')
    expect(failure(() => update('a\nb\nc\n', '-c', '+C', '@@', '-a', '+A')).message).toContain(
      'before the end of the previous hunk',
    )
  })
})

it('finds a large hunk in a large file of alike lines without trying every place', () => {
  const text = `${'same\n'.repeat(200_000)}end\n`
  const hunk = [...Array.from({ length: 5_000 }, () => ' same'), '-end', '+END']
  expect(update(text, ...hunk).endsWith('same\nEND\n')).toBe(true)
  expect(failure(() => update(text, ...hunk.slice(0, -2), '-none', '+x')).code).toBe('no_match')
})
