import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { unifiedDiff } from '../../edit/fileDiff.ts'
import { defineTool, type ToolContext } from '../toolDefinition.ts'

const maxContext = 1_000

const schema = z.object({
  file_a: z.string().optional().describe('First file. Pass this or text_a.'),
  file_b: z.string().optional().describe('Second file. Pass this or text_b.'),
  text_a: z.string().optional().describe('First text, instead of file_a.'),
  text_b: z.string().optional().describe('Second text, instead of file_b.'),
  context_lines: z.number().int().min(0).default(3).describe('Lines to show around each change.'),
})

interface Side {
  name: string
  text: string
  path?: string
}

export const diff = defineTool({
  name: 'Diff',
  title: 'Compare',
  description:
    'Compares two files, two texts, or a file and a text, and returns a unified diff. Unsaved changes in open tabs count.',
  risk: 'read',
  schema,
  examples: [
    { file_a: 'old_config.toml', file_b: 'new_config.toml', context_lines: 5 },
    { text_a: 'one\n', text_b: 'two\n' },
  ],
  reads: ({ file_a: a, file_b: b }) => [a, b].filter((file) => file !== undefined),
  async run(args, context) {
    const a = await side('a', args.file_a, args.text_a, context)
    const b = await side('b', args.file_b, args.text_b, context)
    const { diff: text, added, removed } = unifiedDiff(a, b, Math.min(args.context_lines, maxContext))
    if (text === '') return { text: `"${a.name}" and "${b.name}" are identical.` }
    return {
      text,
      view: {
        kind: 'diff',
        files: [{ path: b.path ?? a.path ?? b.name, change: 'modified', diff: text, added, removed }],
        note: 'Comparison only: no file was changed.',
      },
    }
  },
})

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
  if (file === undefined) return { name: `text_${letter}`, text: (text ?? '').replaceAll('\r\n', '\n') }
  const document = await context.documents.read(file, context.signal)
  return { name: document.path, text: document.text, path: document.path }
}
