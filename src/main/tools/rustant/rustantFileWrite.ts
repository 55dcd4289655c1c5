import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { previewWholeFile, writeWholeFile } from '../common/writeWholeFile.ts'
import { defineTool } from '../common/toolDefinition.ts'

/** MAX_WRITE_BYTES in Rustant's document. */
const maxBytes = 10 * 1024 * 1024

export const fileWrite = defineTool({
  name: 'file_write',
  title: 'Write file',
  description:
    'Creates a file with its folders, or overwrites it completely; at most 10 MB. To change parts of a file use file_patch or smart_edit.',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('File to write, relative to the workspace.'),
      content: z.string().describe('Complete content of the file.'),
    }),
  writes: (args) => [args.path],
  examples: [{ path: 'notes/plan.md', content: '# Plan\n' }],
  async preview(args, context) {
    checkSize(args.content)
    return previewWholeFile(args, context)
  },
  async run(args, context) {
    checkSize(args.content)
    return writeWholeFile(args, context)
  },
})

function checkSize(content: string): void {
  const bytes = Buffer.byteLength(content)
  if (bytes > maxBytes) {
    throw new ToolError(
      'too_large',
      `The content is ${plural(bytes, 'byte')}; file_write accepts at most ${formatNumber(maxBytes)}.`,
      'Split it into several files, or create it with a command (shell_exec).',
    )
  }
}
