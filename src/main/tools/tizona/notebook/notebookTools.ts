import { z } from 'zod'
import { applyTextChanges, type TextChange } from '../../../../shared/editor/textChanges.ts'
import { ToolError } from '../../../../shared/errors.ts'
import type { CellResult } from '../../../../shared/notebook/kernels.ts'
import type { Notebook, NotebookCell } from '../../../../shared/notebook/notebook.ts'
import {
  changeType,
  editSource,
  insertCell,
  newCellId,
  removeCells,
  setOutputs,
} from '../../../../shared/notebook/notebookEdits.ts'
import { plural } from '../../../../shared/text/plural.ts'
import { diffOf } from '../../../edit/editRunner.ts'
import { defineTool, type Tool, type ToolContext } from '../../common/toolDefinition.ts'
import { storeForUndo } from '../../common/undoableChanges.ts'
import { tabOnlyNote } from '../../common/unsavedNotices.ts'
import { cellCommand } from './cellCommand.ts'
import { cellNumbered, describeCells, describeOutputs, notebookOf } from './describeCells.ts'

const path = z.string().min(1)
const cellNumber = z.number().int().min(1)
const maxCells = 50
/** Time limits of a cell in seconds. */
const timeLimits = { default: 60, max: 600 }
/** Milliseconds for which an interrupted cell may go on. */
const interruptMs = 5000

const notebookRead = defineTool({
  name: 'notebook_read',
  title: 'Read notebook',
  description: 'Shows the cells of a Jupyter notebook by number, with outputs.',
  risk: 'read',
  smallestProfile: 'full',
  forClients: true,
  schema: () =>
    z.object({
      path,
      cells: z.array(cellNumber).min(1).max(1000).optional().describe('Numbers. Default: all that fit.'),
    }),
  parameterAliases: { notebook_path: 'path', file_path: 'path' },
  reads: (args) => [args.path],
  examples: [{ path: 'sales.ipynb', cells: [2, 3] }],
  async run({ path: file, cells }, { documents, signal }) {
    const { text, path: found } = await documents.read(file, signal)
    const notebook = notebookOf(found, text)
    const numbers = cells ?? notebook.cells.map((_cell, index) => index + 1)
    const title = `${found}: ${plural(notebook.cells.length, 'cell')}, ${notebook.language}.`
    return { text: `${title}\n\n${describeCells(notebook, numbers)}`.trimEnd(), selfTruncated: true }
  },
})

const editSchema = () =>
  z.object({
    path,
    cell: cellNumber.describe('Number of the cell. With insert: that of the new cell.'),
    action: z.enum(['replace', 'insert', 'delete']).default('replace'),
    new_source: z.string().optional().describe('New text of the cell.'),
    type: z.enum(['code', 'markdown']).optional(),
  })
type EditArguments = z.output<ReturnType<typeof editSchema>>

/** Returns the text of a notebook after an edit. @throws ToolError invalid_arguments */
function edited(notebook: Notebook, { cell: number, action, new_source: source, type }: EditArguments): string {
  if (action !== 'delete' && source === undefined)
    throw new ToolError('invalid_arguments', '`new_source` is missing.', 'Pass the new text of the cell.')
  if (action === 'insert') {
    if (number > notebook.cells.length + 1) cellNumbered(notebook, number)
    return applied(notebook.text(), [
      insertCell(notebook, number - 1, { type: type ?? 'code', source: source ?? '', id: newCellId() }),
    ])
  }
  const cell = cellNumbered(notebook, number)
  if (action === 'delete') return applied(notebook.text(), removeCells(notebook, [number - 1]))
  const text = applied(notebook.text(), [editSource(notebook, cell, source ?? '')])
  if (type === undefined || type === cell.type) return text
  const changed = notebookOf('The notebook', text)
  return applied(text, [changeType(changed, cellNumbered(changed, number), type)])
}

function applied(text: string, changes: readonly (TextChange | null)[]): string {
  const result = applyTextChanges(
    text,
    changes.filter((change) => change !== null),
  )
  if (result === null) throw new Error('A change of the notebook is out of range.')
  return result
}

/** What approval was based on, by the arguments of the call: those of `run` are the same object. */
const shown = new WeakMap<object, string>()

/** Remembers what the user or a rule sees of a notebook. @throws ToolError `conflict` if hooks saw something else */
function remember(args: object, seen: string): void {
  checkUnchanged(args, seen)
  shown.set(args, seen)
}

/** @throws ToolError `conflict` if the notebook is no longer what was shown for approval */
function checkUnchanged(args: object, seen: string): void {
  if ((shown.get(args) ?? seen) === seen) return
  throw new ToolError(
    'conflict',
    'The notebook changed while the call waited for approval, so nothing was done.',
    'Read the notebook again, and repeat the call with the numbers that its cells have now.',
  )
}

/** Identifies the cell that an edit changes, or those around a new one. */
function editedPart({ cells }: Notebook, { cell: number, action }: EditArguments): string {
  const part = action === 'insert' ? cells.slice(Math.max(0, number - 2), number) : [cells[number - 1]]
  return JSON.stringify(part.map((cell) => cell && [cell.id, cell.type, cell.source]))
}

const notebookEdit = defineTool({
  name: 'notebook_edit',
  title: 'Edit notebook',
  description: 'Replaces, inserts or deletes a cell of a Jupyter notebook. Nothing else in the file changes.',
  risk: 'write',
  smallestProfile: 'full',
  follows: 'notebook_read',
  forClients: true,
  schema: editSchema,
  parameterAliases: {
    notebook_path: 'path',
    file_path: 'path',
    source: 'new_source',
    cell_type: 'type',
    edit_mode: 'action',
  },
  writes: (args) => [args.path],
  examples: [{ path: 'sales.ipynb', cell: 2, new_source: 'total = prices.sum()' }],
  async preview(args, { documents, signal }) {
    const base = await documents.read(args.path, signal)
    const notebook = notebookOf(base.path, base.text)
    const after = edited(notebook, args)
    remember(args, editedPart(notebook, args))
    return { view: { kind: 'diff', files: [await diffOf(base.path, base.text, after, signal)], unsaved: base.unsaved } }
  },
  async run(args, context) {
    const { documents, signal } = context
    const base = await documents.read(args.path, signal)
    const notebook = notebookOf(base.path, base.text)
    checkUnchanged(args, editedPart(notebook, args))
    const after = edited(notebook, args)
    const change = await diffOf(base.path, base.text, after, signal)
    const outcome = await documents.edit(base, after, signal)
    const { editId, note } = storeForUndo(
      [{ path: outcome.path, before: outcome.before, after: outcome.after }],
      context,
    )
    const verb = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' }[args.action]
    const text = `${verb} cell ${args.cell} of "${outcome.path}".${tabOnlyNote(outcome.unsaved)}`
    return {
      text: note ? `${text}\n${note}` : text,
      view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note },
    }
  },
})

const runSchema = () =>
  z.object({
    path,
    cells: z.array(cellNumber).min(1).max(maxCells).describe('Numbers, in the order in which they run.'),
    timeout: z.number().int().min(1).max(timeLimits.max).default(timeLimits.default).describe('Seconds a cell.'),
  })

/** Code cells by their numbers. @throws ToolError invalid_arguments */
async function codeCells(
  { path: file, cells }: z.output<ReturnType<typeof runSchema>>,
  { documents, notebooks, signal }: ToolContext,
): Promise<{
  file: string
  cells: { number: number; cell: NotebookCell }[]
  kernelName: string | undefined
  command: string
}> {
  const { text, path: found } = await documents.read(file, signal)
  const notebook = notebookOf(found, text)
  const named = cells.map((number) => {
    const cell = cellNumbered(notebook, number)
    if (cell.type !== 'code')
      throw new ToolError('invalid_arguments', `Cell ${number} is ${cell.type}, not code.`, 'Leave it out.')
    return { number, cell }
  })
  const kernel = notebooks.kernels().find((each) => each.path === found)?.kernel.name ?? notebook.kernelName
  const sources = named.map(({ cell }) => cell.source)
  const command = cellCommand({ kernel: kernel ?? 'python3', file: found, sources })
  return { file: found, kernelName: notebook.kernelName, cells: named, command }
}

const notebookRun = defineTool({
  name: 'notebook_run',
  title: 'Run notebook cells',
  description: 'Runs code cells of a Jupyter notebook in its kernel and stores their outputs in the file.',
  risk: 'execute',
  smallestProfile: 'full',
  follows: 'notebook_read',
  forClients: true,
  schema: runSchema,
  parameterAliases: { notebook_path: 'path', file_path: 'path' },
  writes: (args) => [args.path],
  examples: [{ path: 'sales.ipynb', cells: [1, 2] }],
  // Rules see the code, so that one for a notebook does not allow other code in it.
  async commandLine(args, context) {
    const { command } = await codeCells(args, context)
    remember(args, command)
    return { command, cwd: '.', isCode: true, sandbox: await context.notebooks.sandbox() }
  },
  async run(args, context) {
    const { file, cells, kernelName, command } = await codeCells(args, context)
    checkUnchanged(args, command)
    const reports: string[] = []
    for (const { number, cell } of cells) {
      context.progress({ kind: 'text', text: `Running cell ${number}\n` })
      const result = await runWithin(args.timeout, file, cell, kernelName, context)
      if (hasNotStarted(result)) {
        reports.push(`--- Cell ${number}: did not start, so it keeps its outputs`)
        break
      }
      const isStored = await storeOutputs(file, number, cell, result, context)
      const outputs = describeOutputs(result.outputs)
      reports.push(
        `--- Cell ${number}: ${outcomes[result.outcome]}\n${outputs === '' ? '(no output)' : outputs}${isStored ? '' : `\n${notStored}`}`,
      )
      if (result.outcome !== 'ok') break
    }
    const left = cells.length - reports.length
    return {
      text: [...reports, ...(left > 0 ? [`${plural(left, 'further cell')} did not run.`] : [])].join('\n\n'),
      selfTruncated: true,
    }
  },
})

const notStored = 'Its outputs were not stored, because the cell changed while it ran.'

/** Whether a cell was given up while it waited, for example because one before it failed. */
const hasNotStarted = ({ outcome, outputs, executionCount }: CellResult): boolean =>
  outcome === 'aborted' && outputs.length === 0 && executionCount === null

const outcomes = { ok: 'done', error: 'failed', aborted: 'was interrupted' } as const

/** Runs a cell. Cancels it after the time limit, which begins when it starts, or if the call is cancelled. */
async function runWithin(
  seconds: number,
  file: string,
  cell: NotebookCell,
  name: string | undefined,
  { notebooks, signal }: ToolContext,
): Promise<CellResult> {
  const limit = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancelled = AbortSignal.any([signal, limit.signal])
  const running = notebooks.run(file, {
    key: cell.key,
    code: cell.source,
    allowsInput: false,
    name,
    signal: cancelled,
    onStart: () => (timer = setTimeout(() => limit.abort(), seconds * 1000)),
  })
  const stopped = Promise.withResolvers<'stopped'>()
  const onAbort = (): void => stopped.resolve('stopped')
  cancelled.addEventListener('abort', onAbort, { once: true })
  try {
    const first = await Promise.race([running, stopped.promise])
    if (first !== 'stopped') return first
    const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), interruptMs).unref())
    const ended = await Promise.race([running, late])
    signal.throwIfAborted()
    if (ended !== 'late') return ended
    throw new ToolError(
      'timeout',
      `The cell ran longer than ${plural(seconds, 'second')} and did not stop when it was interrupted.`,
      'Ask the user to restart the kernel.',
    )
  } finally {
    clearTimeout(timer)
    cancelled.removeEventListener('abort', onAbort)
    // It may still end with an error after the call.
    running.catch(() => undefined)
  }
}

/** Stores the outputs of a run. @returns false if the cell is gone or has changed meanwhile */
async function storeOutputs(
  file: string,
  number: number,
  cell: NotebookCell,
  { outputs, executionCount }: CellResult,
  { documents, signal }: ToolContext,
): Promise<boolean> {
  const base = await documents.read(file, signal)
  const notebook = notebookOf(file, base.text)
  const isSame = (other: NotebookCell | undefined): boolean => other?.id === cell.id && other?.source === cell.source
  const target = isSame(notebook.cells[number - 1]) ? notebook.cells[number - 1] : notebook.cells.find(isSame)
  if (target === undefined) return false
  await documents.edit(base, applied(base.text, [setOutputs(notebook, target, outputs, executionCount)]), signal)
  return true
}

/** Tools for Jupyter notebooks. */
export const notebookTools: readonly Tool[] = [notebookRead, notebookEdit, notebookRun]

/** The one that runs code. Turned off in folders that are not trusted (appToolRegistry.ts). */
export const notebookRunTools: readonly Tool[] = [notebookRun]
