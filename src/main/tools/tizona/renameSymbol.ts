import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { FileEdits } from '../../../shared/language/languageServers.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { RenamePlan } from '../../../shared/language/symbolRename.ts'
import { planRename } from '../../code/renamePlan.ts'
import { applyServerEdits, previewServerEdits } from '../common/applyServerEdits.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

interface RenameArguments {
  path: string
  line: number
  name: string
  new_name: string
}

export const renameSymbol = defineTool({
  name: 'rename_symbol',
  title: 'Rename symbol',
  description:
    'Renames a symbol (function, variable, class, …) in every file that uses it, by its meaning and not by its text. Applies all changes or none.',
  risk: 'write',
  smallestProfile: 'full',
  schema: () =>
    z.object({
      path: z.string().min(1).describe('File with a definition or use of the symbol, relative to the workspace.'),
      line: z.number().int().min(1).describe('Line in this file that contains the name.'),
      name: z.string().min(1).max(500).describe('Current name.'),
      new_name: z.string().min(1).max(500).describe('New name.'),
    }),
  reads: ({ path }) => [path],
  preview: async (args, context) => previewServerEdits(editsOf(await planOf(args, context)), context),
  examples: [{ path: 'src/users.ts', line: 4, name: 'UserStore', new_name: 'Users' }],
  async run(args, context) {
    const plan = await planOf(args, context)
    const edits = editsOf(plan)
    const places = edits.reduce((sum, file) => sum + file.edits.length, 0)
    const what = `Renamed ${plan.name} to ${plan.newName} in ${plural(places, 'place')}`
    return applyServerEdits(what, edits, context)
  },
})

/** @throws ToolError no_match if the name is not in the line, and the errors of planning */
async function planOf({ path, line, name, new_name: newName }: RenameArguments, context: ToolContext) {
  const { documents, languages, code, search, signal } = context
  const { path: relative, text } = await documents.read(path, signal)
  const lines = text.split('\n')
  const column = columnOf(lines[line - 1] ?? '', name)
  if (column === undefined) {
    const others = lines.flatMap((each, index) => (columnOf(each, name) === undefined ? [] : [index + 1])).slice(0, 5)
    throw new ToolError(
      'no_match',
      `Line ${line} of ${relative} does not contain the name "${name}".`,
      others.length === 0 ? 'Read the file and pass a line that contains it.' : `It is in line ${others.join(', ')}.`,
    )
  }
  const place = { path: relative, line, column }
  return (
    (await languages.rename(place, newName, signal)) ?? planRename({ code, documents, search }, place, newName, signal)
  )
}

/** Leaves out edits of symbols that only have the same name. */
function editsOf({ name, files }: RenamePlan): FileEdits[] {
  return files.flatMap(({ path, textHash, occurrences }) => {
    const edits = occurrences
      .filter(({ kind }) => kind !== 'mention')
      .map(({ line, column, replaced = name, replacement }) => ({
        range: { startLine: line, startColumn: column, endLine: line, endColumn: column + replaced.length },
        text: replacement,
      }))
    return edits.length === 0 ? [] : [{ path, textHash, edits }]
  })
}

/** Returns the 1-based column of a whole word. */
function columnOf(line: string, name: string): number | undefined {
  const isWord = (character: string | undefined): boolean => /[\p{L}\p{N}_$]/u.test(character ?? '')
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1))
    if (!isWord(line[at - 1]) && !isWord(line[at + name.length])) return at + 1
  return undefined
}
