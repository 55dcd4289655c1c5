import { joinLines } from '../../shared/notebook/notebook.ts'
import type { CellOutput } from '../../shared/notebook/outputs.ts'
import { parseAnsi } from '../platform/ansiText.ts'

/** Characters of HTML that a frame gets. */
export const maxHtml = 2_000_000

/** Media types that are shown, best first. */
const types = [
  'text/html',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/markdown',
  'text/latex',
  'application/json',
  'text/plain',
] as const
export type ShownType = (typeof types)[number]

/** Returns the media type in which data is shown; undefined if there is none. */
export function shownType(data: Record<string, unknown>): ShownType | undefined {
  return types.find((each) => data[each] !== undefined && !isOnlyScript(each, data))
}

/** Whether HTML shows nothing without its scripts, and there is text instead. */
const isOnlyScript = (type: string, data: Record<string, unknown>): boolean =>
  type === 'text/html' &&
  data['text/plain'] !== undefined &&
  /<script/i.test(joinLines(data[type])?.slice(0, maxHtml) ?? '') &&
  !/<(?:table|img|svg|p|h[1-6])\b/i.test(joinLines(data[type])?.slice(0, maxHtml) ?? '')

/** An output that is shown as text, with escape sequences. */
export interface OutputText {
  text: string
  label: string
  stream?: string
}

/** Returns an output as text; null if it is shown in another form. */
export function outputText(output: CellOutput): OutputText | null {
  switch (output.output_type) {
    case 'stream':
      return textOf(output.text, output.name === 'stderr' ? 'Errors' : 'Output', output.name)
    case 'error': {
      const { traceback, ename, evalue } = output
      return textOf(traceback.length > 0 ? traceback.join('\n') : `${ename}: ${evalue}`, 'Error', 'error')
    }
    default:
      return dataText(output.data)
  }
}

function dataText(data: Record<string, unknown>): OutputText | null {
  const type = shownType(data)
  if (type === 'application/json') return textOf(JSON.stringify(data[type], null, 2) ?? '', 'JSON')
  const text = type === 'text/latex' || type === 'text/plain' ? joinLines(data[type]) : null
  return text === null ? null : textOf(text, 'Result')
}

const textOf = (text: string, label: string, stream?: string): OutputText => ({
  text: text.replaceAll('\r\n', '\n'),
  label,
  ...(stream !== undefined && { stream }),
})

/** Returns a text without escape sequences, as it is shown. */
export const plainText = (text: string): string =>
  parseAnsi(text)
    .spans.map((span) => span.text)
    .join('')
