import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { unifiedDiff } from '../../edit/fileDiff.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

const maxContext = 1_000

const schema = () =>
  z.object({
    file_a: z.string().optional().describe('First file. Pass this or text_a.'),
    file_b: z.string().optional().describe('Second file. Pass this or text_b.'),
    text_a: z.string().optional().describe('First text, instead of file_a.'),
    text_b: z.string().optional().describe('Second text, instead of file_b.'),
    context_lines: z.number().int().min(0).default(3).describe('Lines to show around each change.'),
  })

interface Side {
  name: string
  /** With `\n` line endings. */
  text: string
  path?: string
  /** Absent for a text. */
  encoding?: string
  /** The ending of each line. */
  ends: readonly string[]
}

/** Maximum size of a file in bytes whose line endings are compared one by one. */
const maxComparedSize = 50 * 1024 * 1024
const endNames: Readonly<Record<string, string>> = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' }

export const diff = defineTool({
  name: 'Diff',
  title: 'Compare',
  description:
    'Compares two files, two texts, or a file and a text, and returns a unified diff. Unsaved changes in open tabs count, line endings and encodings too.',
  risk: 'read',
  schema,
  examples: [
    { file_a: 'old_config.toml', file_b: 'new_config.toml', context_lines: 5 },
    { text_a: 'one\n', text_b: 'two\n' },
  ],
  complete: withoutUnusedTexts,
  reads: ({ file_a: a, file_b: b }) => [a, b].filter((file) => file !== undefined),
  async run(args, context) {
    const a = await side('a', args.file_a, args.text_a, context)
    const b = await side('b', args.file_b, args.text_b, context)
    const { diff: text, added, removed } = unifiedDiff(a, b, Math.min(args.context_lines, maxContext))
    const others = invisibleDifferences(a, b)
    if (text === '') {
      const both = `"${a.name}" and "${b.name}"`
      return {
        text: others === '' ? `${both} are identical.` : `${both} have the same lines but are not identical. ${others}`,
      }
    }
    return {
      text: others === '' ? text : `${text.trimEnd()}\n\n${others}`,
      view: {
        kind: 'diff',
        files: [{ path: b.path ?? a.path ?? b.name, change: 'modified', diff: text, added, removed }],
        note: 'Comparison only: no file was changed.',
      },
    }
  },
})

/** Removes an empty text beside a file, which models write for a parameter that they do not use. */
function withoutUnusedTexts(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const unused = ['a', 'b'].filter((letter) => given[`text_${letter}`] === '' && given[`file_${letter}`] !== undefined)
  return Object.fromEntries(Object.entries(given).filter(([name]) => !unused.some((one) => name === `text_${one}`)))
}

async function side(
  letter: 'a' | 'b',
  file: string | undefined,
  text: string | undefined,
  context: ToolContext,
): Promise<Side> {
  if ((file === undefined) === (text === undefined)) {
    throw new ToolError(
      'invalid_arguments',
      file === undefined
        ? `file_${letter} or text_${letter} is missing.`
        : `Both file_${letter} and text_${letter} were passed, but only one is allowed.`,
      'Pass a path as file_a or a text as text_a, and likewise file_b or text_b.',
    )
  }
  if (file === undefined)
    return { name: `text_${letter}`, text: (text ?? '').replaceAll(/\r\n?/g, '\n'), ends: endsIn(text ?? '') }
  const { path, text: read, format, unsaved } = await context.documents.read(file, context.signal)
  const { encoding, eol } = format
  // The bytes of a line ending are the same in all encodings except UTF-16.
  const isWide = encoding.startsWith('utf16')
  const ends =
    unsaved || isWide
      ? endsIn(read).map(() => eol)
      : endsIn(Buffer.from(await context.files.readBytes(file, maxComparedSize, context.signal)).toString('latin1'))
  return { name: path, text: read, path, encoding, ends }
}

function endsIn(text: string): string[] {
  return text.match(/\r\n?|\n/g) ?? []
}

/** Describes differences that a diff of lines does not show: line endings and encodings. Empty if there are none. */
function invisibleDifferences(a: Side, b: Side): string {
  const used = ({ ends }: Side) =>
    [...new Set(ends)]
      .toSorted()
      .map((end) => endNames[end])
      .join(' and ')
  const [endsA, endsB] = [used(a), used(b)]
  const sameLines = a.ends.length === b.ends.length
  const notes = [
    endsA !== endsB && endsA !== '' && endsB !== ''
      ? `Line endings: ${endsA} in "${a.name}", ${endsB} in "${b.name}".`
      : sameLines && a.ends.some((end, index) => end !== b.ends[index])
        ? `Line endings: ${endsA} in both, but not at the same lines.`
        : '',
    a.encoding !== undefined && b.encoding !== undefined && a.encoding !== b.encoding
      ? `Encodings: ${a.encoding} in "${a.name}", ${b.encoding} in "${b.name}".`
      : '',
  ]
  return notes.filter((note) => note !== '').join(' ')
}
