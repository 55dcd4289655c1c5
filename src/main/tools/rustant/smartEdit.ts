import { asSentence } from '../../base/asSentence.ts'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { SyntaxProblem } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { EditRange } from '../../edit/editRange.ts'
import { diffOf } from '../../edit/editRunner.ts'
import { applyEditOperation, editOperations } from '../../edit/editOperations.ts'
import type { TextDocument } from '../../workspace/documents.ts'
import { storeForUndo } from '../common/undoableChanges.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'
import { extentOf } from './headerMatch.ts'
import { findSmartTarget, type SmartTarget } from './smartTarget.ts'
import { log } from '../../base/log/log.ts'
import { tabOnlyNote } from '../common/unsavedNotices.ts'

interface SmartEdit {
  path: string
  location: string
  operation: (typeof editOperations)[number]
  content?: string
}

/** Maximum length of the diff in the result, in UTF-16 units. Only the largest diffs are truncated. */
const maxDiffLength = 20_000
/** Time limit for the syntax check in milliseconds. */
const checkTimeout = 2_000
const maxProblems = 5

export const smartEdit = defineTool({
  name: 'smart_edit',
  title: 'Smart edit',
  description:
    'Edits one place of a file. location is "line 42", "lines 10-20", the name or first words of a definition (edits all of it), a text ' +
    'of the file, "login function body", "the imports", "end of file", or a description such as "the function that handles authentication". ' +
    'Edits only if one place clearly matches, else lists candidates. Saves a checkpoint of the file first and returns the diff.',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('File to edit, relative to the workspace.'),
      location: z
        .string()
        .describe("Line numbers, a symbol's name, a text of the file, or a description of the place."),
      operation: z.enum(editOperations).describe('What to do with the place. Insertions are on separate lines.'),
      content: z
        .string()
        .optional()
        .describe('New text, for all operations except delete. Unindented text gets the indentation of the place.'),
    }),
  writes: (args) => [args.path],
  examples: [
    {
      path: 'src/main.rs',
      location: 'fn greet',
      operation: 'replace',
      content: 'fn greet() {\n    println!("Good morning");\n}',
    },
    {
      path: 'src/main.rs',
      location: 'the function that runs one command',
      operation: 'insert_after',
      content: '\nfn quit() {}',
    },
    { path: 'src/lib.rs', location: 'retries', operation: 'delete' },
  ],
  async preview(args, context) {
    const { base, change, how } = await plan(args, context)
    return { view: { kind: 'diff', files: [change], unsaved: base.unsaved, note: how } }
  },
  async run(args, context) {
    const { base, after, change, how, lines } = await plan(args, context)
    const reason = `before smart_edit of ${base.path}`
    const { conversationId, signal } = context
    const checkpoint = await context.checkpoints.take({ reason, conversationId, paths: [base.path] }, signal)
    const outcome = await context.documents.edit(base, after, context.signal)
    const { editId, note } = storeForUndo(
      [{ path: outcome.path, before: outcome.before, after: outcome.after }],
      context,
    )
    const [omitted] = checkpoint.omitted
    const checkpointNote = omitted
      ? ` The checkpoint does not contain it. ${asSentence(omitted.why)}`
      : ` Checkpoint ${checkpoint.id} contains its previous state on disk.`
    const text = `Changed "${outcome.path}" at ${lines}.${tabOnlyNote(outcome.unsaved)} ${how}${checkpointNote}${note ? `\n${note}` : ''}\n\n${truncateDiff(change.diff)}`
    const remarks = [how, note].filter(Boolean).join(' ')
    return { text, view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note: remarks } }
  },
})

async function plan(args: SmartEdit, context: ToolContext) {
  const { path, location, operation } = args
  const base: TextDocument = await context.documents.read(path, context.signal)
  const { text } = base
  const faults = (before: string | null, after: string) => newFaults(base.path, before, after, context)
  const symbols = async () => (await context.code.outline(base.path, context.signal)).symbols
  const described = (description: string) => context.code.matchDescription(base.path, text, description, context.signal)
  const found = await findSmartTarget({ path: base.path, text, location, operation, symbols, described })
  const { range, how, content } = await chosenRange(found, args, text, base.path, context)
  const after = applyEditOperation(text, range, operation, content)
  if (found.described) {
    const problems = await faults(text, after)
    if (problems && problems.length > 0 && (await faults(null, text))?.length === 0)
      throw syntaxErrorsError(base.path, how, problems)
  }
  const change = await diffOf(base.path, text, after, context.signal)
  const { startLine, endLine } = range
  return {
    base,
    after,
    change,
    how,
    lines: startLine >= endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`,
  }
}

/** Chooses between the matched text of a header, the whole definition, and the start of its body. */
async function chosenRange(
  found: SmartTarget,
  { location, operation, content }: SmartEdit,
  text: string,
  path: string,
  context: ToolContext,
): Promise<{ range: EditRange; how: string; content?: string }> {
  const { header, range, how, count = 1 } = found
  if (!header || content === undefined) return { range, how, content }
  const extent = await extentOf(header, {
    text,
    location,
    operation,
    content,
    faults: async (after) => (await newFaults(path, text, after, context))?.length,
    symbolsIn: (after) => context.code.symbolsIn(path, after, context.signal),
  })
  if (extent === 'whole') return { range, how, content }
  if (extent === 'text' && count > 1) {
    throw new ToolError(
      'ambiguous_match',
      `\`location\` occurs ${plural(count, 'time')} in "${path}", and \`content\` does not replace the whole ${header.symbol.kind} ${header.symbol.qualified}.`,
      'Retry with line numbers or a longer text, or pass the whole new definition as content.',
    )
  }
  if (extent === 'text') return { range: header.range, how: 'The location matches text of the file.', content }
  const below =
    text
      .split('\n')
      .slice(header.range.endLine)
      .find((line) => line.trim() !== '') ?? ''
  return {
    range: { ...header.range, indent: /^[ \t]*/.exec(below)?.[0] },
    how: 'The location matches a line of the file.',
    content,
  }
}

/** Returns the new syntax errors of a text compared with another, or undefined if the check takes too long. */
async function newFaults(
  path: string,
  before: string | null,
  after: string,
  { code, signal }: ToolContext,
): Promise<SyntaxProblem[] | undefined> {
  const tooLong = AbortSignal.timeout(checkTimeout)
  try {
    return await code.newSyntaxErrors([{ path, before, after }], AbortSignal.any([signal, tooLong]))
  } catch (error) {
    signal.throwIfAborted()
    if (!tooLong.aborted) log.error('The syntax check before an edit failed', error)
    return undefined
  }
}

function syntaxErrorsError(path: string, how: string, problems: readonly SyntaxProblem[]): ToolError {
  const shown = problems.slice(0, maxProblems).map(({ line, message }) => `${path}:${line}: ${message}`)
  return new ToolError(
    'no_match',
    `${how} The edit would cause syntax errors in "${path}". Edit not applied:\n${shown.join('\n')}`,
    'Check `content`, or pass `location` as line numbers or text of the file.',
  )
}

function truncateDiff(diff: string): string {
  if (diff.length <= maxDiffLength) return diff.trimEnd()
  const kept = diff.slice(0, diff.lastIndexOf('\n', maxDiffLength))
  return `${kept}\n[… ${plural(diff.slice(kept.length).trim().split('\n').length, 'more line')} of the diff …]`
}
