import { expect, test } from 'vitest'
import { detectPatchFormat, parsePatchSections } from './patchFormats.ts'

const summary = (patch: string, path?: string) =>
  parsePatchSections(patch, path).map((section) =>
    section.kind === 'update'
      ? [
          section.kind,
          section.path,
          ...section.hunks.map(({ lines }) => lines.map(({ mark, text }) => mark + text).join('|')),
        ]
      : [section.kind, section.path],
  )

test('parses a unified diff of several files, including new and deleted ones', () => {
  const patch =
    'diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n' +
    'diff --git a/n.ts b/n.ts\nnew file mode 100644\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n'
  expect(summary(patch)).toEqual([
    ['update', 'src/a.ts', ' x|-y|+z'],
    ['add', 'n.ts'],
    ['delete', 'old.ts'],
  ])
  expect(parsePatchSections(patch)[1]).toMatchObject({ text: 'one\ntwo\n' })
})

test('parses a diff without "@@" lines, with or without file names', () => {
  expect(summary('--- a/f\n+++ b/f\n a\n-b\n+c\n')).toEqual([['update', 'f', ' a|-b|+c']])
  expect(summary('-b\n+c\n', 'f')).toEqual([['update', 'f', '-b|+c']])
  expect(() => parsePatchSections('-b\n+c\n')).toThrow(/does not name its file/)
})

test('rejects changed lines before the first "@@"', () => {
  expect(() => parsePatchSections('see:\n-old\n+new\n@@ -9 +9 @@\n-a\n+b\n', 'f')).toThrow(
    /comes before the first "@@" line/,
  )
})

test('parses removed and added lines that look like file headers', () => {
  expect(summary('--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n x\n--- old\n+++ new\n')).toEqual([
    ['update', 'f', ' x|--- old|+++ new'],
  ])
})

test('parses blocks with the file name above, several per file', () => {
  const block = '<<<<<<< SEARCH\na\nb\n=======\na\nc\n>>>>>>> REPLACE\n'
  expect(summary(`src/a.ts\n\`\`\`ts\n${block}\`\`\`\n${block}\n**b.py**\n${block}`)).toEqual([
    ['update', 'src/a.ts', ' a|-b|+c', ' a|-b|+c'],
    ['update', 'b.py', ' a|-b|+c'],
  ])
  expect(() => parsePatchSections(`Change this:\n${block}`)).toThrow(/line 2 of the patch does not name its file/)
})

test('rejects a diff that renames a file', () => {
  expect(() => parsePatchSections('--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n')).toThrow(/renames "f" to "g"/)
})

test('the error for other text lists the formats', () => {
  for (const patch of ['', 'hello', '{"a": 1}'])
    expect(() => detectPatchFormat(patch)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', next: expect.stringContaining('*** Begin Patch') }),
    )
  expect(detectPatchFormat('words\n*** Begin Patch\n*** End Patch')).toBe('envelope')
  expect(detectPatchFormat('<<<<<<< SEARCH\n*** Begin Patch\n=======\n>>>>>>> REPLACE')).toBe('blocks')
})
