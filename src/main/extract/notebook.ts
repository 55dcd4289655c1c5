import { z } from 'zod'
import { UnreadableError, type Extracted } from './documentJob.ts'

const multiline = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (Array.isArray(text) ? text.join('') : text))
const output = z.object({
  output_type: z.string(),
  text: multiline.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
})
const notebook = z.object({
  metadata: z.object({ language_info: z.object({ name: z.string() }).optional() }).default({}),
  cells: z.array(z.object({ cell_type: z.string(), source: multiline, outputs: z.array(output).default([]) })),
})

/** Converts a Jupyter notebook (nbformat 4) to Markdown: fenced code, outputs as text, images only by type. */
export function extractNotebook(content: Uint8Array): Extracted {
  const { cells, metadata } = parseNotebook(new TextDecoder().decode(content))
  const language = metadata.language_info?.name ?? ''
  const parts = cells.map(({ cell_type: type, source, outputs }, index) => {
    const body = type === 'code' ? [fenced(source, language), ...outputs.map(outputText)].join('\n\n') : source.trim()
    return `<!-- cell ${index + 1}: ${type} -->\n${body}`
  })
  return { kind: 'text', text: parts.join('\n\n') }
}

function parseNotebook(text: string): z.output<typeof notebook> {
  try {
    return notebook.parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UnreadableError('broken', `It is not valid JSON (${error.message}).`, { cause: error })
    if (error instanceof z.ZodError)
      throw new UnreadableError('broken', 'It is not an nbformat 4 notebook.', { cause: error })
    throw error
  }
}

function outputText({ output_type: type, text, data, ename, evalue }: z.output<typeof output>): string {
  if (type === 'error') return `Error: ${ename ?? ''}: ${evalue ?? ''}`
  const plain = text ?? multiline.safeParse(data?.['text/plain']).data
  const pictures = Object.keys(data ?? {})
    .filter((name) => name.startsWith('image/'))
    .map((name) => `[${name}]`)
  return [...(plain === undefined ? [] : [`Output:\n${fenced(plain, '')}`]), ...pictures].join('\n')
}

/** Uses a fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((length, ticks) => Math.max(length, ticks.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`
}
