import { structuredPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { ToolError, type ToolErrorCode } from '../../shared/errors.ts'
import { fuzz, textOf } from '../testing/fuzz.ts'
import { parseEnvelope, type EnvelopeSection } from './envelope.ts'
import { applyHunks } from './envelopeHunks.ts'
import { replaceExactly } from './exactReplace.ts'
import { parseBlocks } from './searchReplace.ts'
import { applyUnified } from './unifiedApply.ts'
import { parseUnified, parseUnifiedFiles } from './unifiedParser.ts'

const line = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '+', '-', '@', '*', '=', '<', '>', '\t', 'ä', '\\'),
  maxLength: 6,
})
/** Lines that differ from most others, between lines that repeat. */
const content = fc.array(
  fc.oneof(
    line,
    fc.nat(999).map((number) => `line ${number}`),
  ),
  { maxLength: 25 },
)
const file = fc
  .record({ lines: content, ended: fc.boolean() })
  .map(({ lines, ended }) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''))
/** A text, and a copy in which some lines are changed. */
const edited = fc
  .record({
    lines: content,
    edits: fc.array(fc.record({ at: fc.nat(25), remove: fc.nat(3), add: fc.array(line, { maxLength: 3 }) }), {
      maxLength: 4,
    }),
  })
  .map(({ lines, edits }) => {
    const now = [...lines]
    for (const { at, remove, add } of edits) now.splice(at % (now.length + 1), remove, ...add)
    const text = (all: readonly string[]) => all.map((each) => `${each}\n`).join('')
    return { before: text(lines), after: text(now) }
  })

const marks = [
  '*** Begin Patch',
  '*** End Patch',
  '*** Add File: a.txt',
  '*** Update File: a',
  '*** Delete File: b',
  '*** Move to: c',
  '*** End of File',

  '@@',
  '@@ def f():',
  '@@ -1,2 +1,2 @@',
  '@@ -0,0 +1 @@',
  '--- a/x',
  '+++ b/x',
  '--- /dev/null',
  'diff --git a/x b/x',
  '\\ No newline at end of file',

  '<<<<<<< SEARCH',
  '=======',
  '>>>>>>> REPLACE',
  '------- SEARCH',
  '+++++++ REPLACE',
  ':start_line:3',
  '```',
  '```diff',
  "cat <<'EOF'",
  'EOF',
  ' a',
  '+b',
  '-c',
  '+',
  '-',
  ' ',
  '',
  'text',
  '\r',
  '\ufeff',
  '    ',
]
const patchText = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...marks) }, { weight: 1, arbitrary: textOf(marks, 4) }), {
    maxLength: 25,
  })
  .map((lines) => lines.join('\n'))

/** Runs a parser or an edit. @returns undefined if it is refused with one of the codes */
function attempt<Result>(codes: readonly ToolErrorCode[], act: () => Result): Result | undefined {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    expect(codes).toContain(error.code)
    return undefined
  }
}

describe('a patch of any text', () => {
  fuzz('is parsed or refused in each format, and applies or is refused', [patchText, file], (patch, text) => {
    const sections = attempt(['invalid_arguments'], () => parseEnvelope(patch)) ?? []
    for (const section of sections)
      if (section.kind === 'update')
        attempt(['no_match', 'ambiguous_match', 'out_of_range'], () => applyHunks(text, section.hunks, section.path))
    for (const { hunks } of attempt(['invalid_arguments'], () => parseUnifiedFiles(patch)) ?? []) {
      const outcome = applyUnified(text, hunks)
      expect(outcome.hunks).toHaveLength(hunks.length)
      if (outcome.hunks.every(({ kind }) => kind === 'rejected')) expect(outcome.text).toBe(text)
    }
    attempt(['invalid_arguments'], () => parseUnified(patch))
    for (const { search, replace } of attempt(['invalid_arguments'], () => parseBlocks(patch)) ?? [])
      attempt(['no_match', 'ambiguous_match', 'no_change', 'invalid_arguments'], () =>
        replaceExactly(text, { old: search, now: replace }),
      )
  })
})

describe('a unified diff', () => {
  fuzz('of two texts turns the first into the second', [edited], ({ before, after }) => {
    const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 3 })
    if (hunks.length === 0) return
    const text = hunks
      .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
        [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
      )
      .join('\n')
    const outcome = applyUnified(before, parseUnified(`--- a\n+++ b\n${text}\n`).hunks)
    expect(outcome.hunks.filter(({ kind }) => kind === 'rejected')).toEqual([])
    expect(outcome.text).toBe(after)
  })
})

const path = fc
  .string({ unit: fc.constantFrom('a', 'b', '/', '.', ' ', 'ä'), minLength: 1, maxLength: 8 })
  .map((text) => `p${text}q`)
const section: fc.Arbitrary<EnvelopeSection> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    path,
    at: fc.constant(0),
    text: fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.map((each) => `${each}\n`).join('')),
  }),
  fc.record({ kind: fc.constant('delete' as const), path, at: fc.constant(0) }),
  fc.record({
    kind: fc.constant('update' as const),
    path,
    at: fc.constant(0),
    hunks: fc.array(
      fc.record({
        at: fc.constant(0),
        headers: fc.array(fc.constantFrom('class A', 'def f():', 'fn x'), { minLength: 1, maxLength: 2 }),
        lines: fc.array(fc.record({ mark: fc.constantFrom(' ' as const, '-' as const, '+' as const), text: line }), {
          minLength: 1,
          maxLength: 4,
        }),
        endOfFile: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
)

function print(sections: readonly EnvelopeSection[]): string {
  const body = sections.flatMap((each) => {
    if (each.kind === 'add')
      return [
        `*** Add File: ${each.path}`,
        ...each.text
          .split('\n')
          .slice(0, -1)
          .map((text) => `+${text}`),
      ]
    if (each.kind === 'delete') return [`*** Delete File: ${each.path}`]
    return [
      `*** Update File: ${each.path}`,
      ...each.hunks.flatMap(({ headers, lines, endOfFile }) => [
        ...headers.map((header) => `@@ ${header}`),
        ...lines.map(({ mark, text }) => mark + text),
        ...(endOfFile ? ['*** End of File'] : []),
      ]),
    ]
  })
  return ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n')
}

/** The sections without their places in the patch. */
const withoutPlaces = (sections: readonly EnvelopeSection[]) =>
  sections.map((each) => ({
    ...each,
    at: 0,
    ...(each.kind === 'update' && { hunks: each.hunks.map((hunk) => ({ ...hunk, at: 0 })) }),
  }))

describe('an envelope', () => {
  fuzz(
    'is parsed to the sections that were printed',
    [fc.array(section, { minLength: 1, maxLength: 3 })],
    (sections) => {
      expect(withoutPlaces(parseEnvelope(print(sections)))).toEqual(withoutPlaces(sections))
    },
  )

  fuzz('whose lines are unique in the file turns the first text into the second', [edited], ({ before, after }) => {
    const lines = before.split('\n').slice(0, -1)
    // If lines repeat, a hunk can match in several places.
    if (new Set(lines.map((each) => each.trim())).size < lines.length) return
    const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 3 })
    if (hunks.length === 0 || hunks.some(({ oldLines }) => oldLines === 0)) return
    const text = [
      '*** Begin Patch',
      '*** Update File: a',
      ...hunks.flatMap((hunk) => ['@@', ...hunk.lines]),
      '*** End Patch',
    ].join('\n')
    const [parsed] = parseEnvelope(text)
    if (parsed?.kind !== 'update') throw new Error('not an update')
    expect(applyHunks(before, parsed.hunks, 'a').text).toBe(after)
  })
})

describe('search and replace blocks', () => {
  const part = fc.array(
    fc.oneof(line, fc.constant('text')).filter((text) => !/^[<>=+-]{5}|^:/.test(text)),
    { minLength: 1, maxLength: 4 },
  )
  fuzz(
    'are parsed to the parts that were printed',
    [fc.array(fc.record({ search: part, replace: part }), { minLength: 1, maxLength: 3 })],
    (blocks) => {
      const whole = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join('')
      const sound = blocks.filter(({ search }) => search.some((text) => text.trim() !== ''))
      if (sound.length === 0) return
      const text = sound
        .map(({ search, replace }) => `<<<<<<< SEARCH\n${whole(search)}=======\n${whole(replace)}>>>>>>> REPLACE\n`)
        .join('')
      expect(parseBlocks(text)).toMatchObject(
        sound.map(({ search, replace }) => ({ search: whole(search), replace: whole(replace) })),
      )
    },
  )
})

/** Returns the results of replacing each occurrence, overlapping ones included. */
function allReplacements(text: string, old: string, now: string): Set<string> {
  const results = new Set<string>()
  for (let at = text.indexOf(old); at >= 0 && old !== ''; at = text.indexOf(old, at + 1))
    results.add(text.slice(0, at) + now + text.slice(at + old.length))
  return results
}

describe('an exact replacement', () => {
  fuzz(
    'is applied if there is one result, and undone by the opposite one',
    [file, fc.nat(60), fc.nat(12), line],
    (text, from, length, now) => {
      const old = text.slice(from, from + length)
      const results = allReplacements(text, old, now)
      const outcome = attempt(['invalid_arguments', 'no_change', 'no_match', 'ambiguous_match'], () =>
        replaceExactly(text, { old, now }),
      )
      if (!outcome)
        return expect(old !== '' && old !== now && text.split(old).length === 2 && results.size === 1).toBe(false)
      expect([...results]).toContain(outcome.text)
      expect(text.split(old)).toHaveLength(2)
      expect(results.size).toBe(1)
      if (now !== '' && allReplacements(outcome.text, now, old).size === 1 && outcome.text.split(now).length === 2)
        expect(replaceExactly(outcome.text, { old: now, now: old }).text).toBe(text)
    },
  )
})
