import { ToolError } from '../../../../shared/errors.ts'
import {
  cellMember,
  joinLines,
  parseNotebook,
  type Notebook,
  type NotebookCell,
} from '../../../../shared/notebook/notebook.ts'
import { readOutputs, type CellOutput } from '../../../../shared/notebook/outputs.ts'
import { plural } from '../../../../shared/text/plural.ts'
import { redact } from '../../../base/log/redact.ts'
import { stripVTControlCharacters } from 'node:util'

/** Maximum characters of a result, of a cell's source, and of the outputs of a cell. */
const maxResult = 12_000
const maxSource = 4000
const maxOutput = 2000
/** Characters of an output that are searched for secrets: more than are shown. */
const maxRedacted = 20_000

/** Reads a notebook. @throws ToolError `invalid_arguments` if the text is none */
export function notebookOf(path: string, text: string): Notebook {
  const notebook = parseNotebook(text)
  if ('problem' in notebook)
    throw new ToolError('invalid_arguments', `${path} is no notebook. ${notebook.problem}`, 'Read it as a text file.')
  return notebook
}

/** Returns a cell by its number, from 1. @throws ToolError `invalid_arguments` */
export function cellNumbered({ cells }: Notebook, number: number): NotebookCell {
  const cell = cells[number - 1]
  if (cell === undefined)
    throw new ToolError(
      'invalid_arguments',
      `There is no cell ${number}. The notebook has ${plural(cells.length, 'cell')}.`,
      'Read the notebook for the numbers of its cells.',
    )
  return cell
}

/** Describes cells with source and outputs, as many as fit. @param numbers from 1 */
export function describeCells(notebook: Notebook, numbers: readonly number[]): string {
  const parts: string[] = []
  let length = 0
  for (const [index, number] of numbers.entries()) {
    const part = describeCell(cellNumbered(notebook, number), number)
    length += part.length + 2
    if (length > maxResult && index > 0) {
      parts.push(`(Cells from ${number} on are left out. Pass their numbers in \`cells\`.)`)
      break
    }
    parts.push(part)
  }
  return parts.join('\n\n')
}

function describeCell(cell: NotebookCell, number: number): string {
  const { type, executionCount } = cell
  const count = executionCount === null ? '' : ` [${executionCount}]`
  const outputs = type === 'code' ? describeOutputs(readOutputs(cellMember(cell, 'outputs'))) : ''
  return `--- Cell ${number}, ${type}${count}\n${cut(cell.source, maxSource)}${outputs === '' ? '' : `\n--- Output\n${outputs}`}`
}

/** Describes outputs as text. Pictures and HTML are named by their type only. */
export function describeOutputs(outputs: readonly CellOutput[]): string {
  return cut(outputs.map(describeOutput).join('\n').trimEnd(), maxOutput)
}

function describeOutput(output: CellOutput): string {
  if (output.output_type === 'stream') return shown(output.text)
  if (output.output_type === 'error')
    return shown([...output.traceback, ''].join('\n')) || `${output.ename}: ${output.evalue}`
  const text = joinLines(output.data['text/plain'])
  const others = Object.keys(output.data).filter((type) => type !== 'text/plain')
  return [...(text === null ? [] : [shown(text)]), ...others.map((type) => `[${type}]`)].join('\n')
}

/** Redacts before anything is cut, because a part of a secret is not recognized. */
const shown = (text: string): string => redact(stripVTControlCharacters(text).slice(0, maxRedacted)).trimEnd()

function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const half = Math.floor(length / 2)
  return `${text.slice(0, half)}\n[… ${plural(text.length - 2 * half, 'character')} left out …]\n${text.slice(-half)}`
}
