import { expect, it } from 'vitest'
import { readExtension } from './readExtension.ts'

const json = (value: unknown) => JSON.stringify(value)

it('a file that many parts name is read once, and parts that name too much together are not used', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `l${index}`)
  const files: Readonly<Record<string, string>> = {
    'package.json': json({
      name: 'a',
      contributes: {
        languages: ids.map((id) => ({ id, extensions: [`.${id}`], configuration: './c.json' })),
        themes: ids.map((id) => ({ label: id, path: './t.json' })),
      },
    }),
    'c.json': json({ comments: { lineComment: '#' }, more: 'x'.repeat(900_000) }),
    't.json': json({ colors: { 'editor.background': '#000000' }, more: 'x'.repeat(900_000) }),
  }
  const reads: string[] = []
  const { record } = await readExtension(
    async (file) => {
      reads.push(file)
      const text = files[file]
      return text === undefined ? null : Buffer.from(text)
    },
    async (expressions) => expressions.map(() => true),
  )
  expect(reads.filter((file) => file === 'c.json')).toHaveLength(1)
  expect(record.themes).toHaveLength(9)
  expect(record.languages.filter(({ configuration }) => configuration !== undefined)).toHaveLength(0)
  expect(record.notUsed).toHaveLength(31)
  expect(record.notUsed[0]).toEqual({
    name: 'Color theme l9',
    reason: 'Its parts read more than 8.0 MB of JSON together.',
  })
})
