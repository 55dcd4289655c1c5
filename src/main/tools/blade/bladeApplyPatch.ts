import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { EnvelopeSection } from '../../edit/envelope.ts'
import type { Edit } from '../../edit/locateEdit.ts'
import { detectPatchFormat, parsePatchSections } from '../../edit/patchFormats.ts'
import { parseBlocks } from '../../edit/searchReplace.ts'
import { previewSections, runSections, writtenPaths } from '../common/envelopePatch.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { pathAliases } from './symbolParameters.ts'
import { editText, previewEdit } from '../common/textEdits.ts'

const names = { oldText: 'old_text', newText: 'new_text', alternative: 'pass the start_line and end_line of one match' }
const textAliases = {
  old_content: 'old_text',
  old: 'old_text',
  from: 'old_text',
  new_content: 'new_text',
  new: 'new_text',
  to: 'new_text',
} as const

const line = z.number().int().min(1).optional()

const patch = z.preprocess(
  renameTexts,
  z.strictObject({
    // Described by the fields of the same names below.
    old_text: z.string(),
    new_text: z.string(),
    start_line: line,
    end_line: line,
  }),
)

const schema = () =>
  z.object({
    path: z.string().describe('File to edit, relative to the workspace.'),
    old_text: z
      .string()
      .optional()
      .describe('Text to find, copied from the file, with enough surrounding lines to be unique.'),
    new_text: z.string().optional().describe('Replacement text; empty to delete.'),
    start_line: line.describe('First line of old_text, 1-based: selects one of several matches.'),
    end_line: line.describe('Last line of old_text, included.'),
    patches: z
      .array(patch)
      .optional()
      .describe(
        'Several replacements at once, each with the fields above and matched against the current file. All are applied or none.',
      ),
    patch: z
      .string()
      .optional()
      .describe(
        'A whole patch in another format: search and replace blocks, a unified diff, or the "*** Begin Patch" envelope.',
      ),
  })
type Arguments = z.output<ReturnType<typeof schema>>

export const applyPatch = defineTool({
  name: 'apply_patch',
  aliases: ['apply_edit'],
  title: 'Apply patch',
  description:
    'Replaces text in a file: one piece (old_text, new_text) or several at once (patches). Each text must occur once; ' +
    'if not, add surrounding lines or select with start_line and end_line. Whitespace may differ.',
  risk: 'write',
  schema,
  parameterAliases: { ...pathAliases, ...textAliases },
  unlistedParameters: ['patch'],
  complete: pathOfPatch,
  writes: (args) => (args.patch === undefined ? [args.path] : writtenPaths(sectionsOf(args.path, args.patch))),
  examples: [
    { path: 'src/lib.rs', old_text: 'let limit = 5;', new_text: 'let limit = 10;' },
    {
      path: 'src/lib.rs',
      patches: [
        { old_text: 'fn retries()', new_text: 'fn attempts()' },
        { old_text: 'retries() * 2', new_text: 'attempts() * 2' },
      ],
    },
  ],
  preview: async (args, context) => {
    const sections = foreignSections(args)
    return sections ? previewSections(sections, context) : previewEdit(args.path, editsOf(args), names, context)
  },
  run: async (args, context) => {
    const sections = foreignSections(args)
    return sections ? runSections(sections, context) : editText(args.path, editsOf(args), names, context)
  },
})

/** Takes the path from a patch that names its files, if the call has none. Throws the errors of parsing the patch. */
function pathOfPatch(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (given.path !== undefined || typeof given.patch !== 'string') return withoutUnusedTexts(given)
  const [first] = parsePatchSections(given.patch)
  return withoutUnusedTexts(first ? { ...given, path: first.path } : given)
}

/** Removes empty texts beside `patches` or `patch`, which models write for parameters that they do not use. */
function withoutUnusedTexts({ old_text: old, new_text: now, ...rest }: Readonly<Record<string, unknown>>) {
  const others =
    rest.patch !== undefined || (rest.patches !== undefined && !Array.isArray(rest.patches)) || hasItems(rest)
  return others && old === '' && (now === '' || now === undefined)
    ? rest
    : { ...rest, ...(old === undefined ? {} : { old_text: old }), ...(now === undefined ? {} : { new_text: now }) }
}

const hasItems = ({ patches }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(patches) && patches.length > 0

/** Returns the sections of an envelope or diff. Undefined for blocks, which are edits like the tool's own. */
function foreignSections(args: Arguments): EnvelopeSection[] | undefined {
  return args.patch === undefined || detectPatchFormat(args.patch) === 'blocks'
    ? undefined
    : sectionsOf(args.path, args.patch)
}

/** @throws ToolError invalid_arguments if the patch deletes a file, which the risk of this tool does not cover */
function sectionsOf(path: string, patch: string): EnvelopeSection[] {
  const sections = detectPatchFormat(patch) === 'envelope' ? parsePatchSections(patch) : diffSections(path, patch)
  const gone = sections.find(({ kind }) => kind === 'delete')
  if (gone)
    throw new ToolError(
      'invalid_arguments',
      `The patch deletes "${gone.path}". Patch not applied.`,
      'Use delete_file, and leave that part out of the patch.',
    )
  return sections
}

/**
 * A diff of one file applies to `path`, whatever its header says. In a diff of several files, the headers name the
 * files.
 */
function diffSections(path: string, patch: string): EnvelopeSection[] {
  const sections = parsePatchSections(patch, path)
  return sections.length > 1 ? parsePatchSections(patch) : sections
}

/** Returns the edits of a call. @throws ToolError invalid_arguments unless exactly one notation is used */
function editsOf(args: Arguments): Edit[] {
  const patches = args.patches ?? []
  if (args.patch !== undefined) return blockEdits(args, patches.length > 0)
  const single = args.old_text !== undefined || args.new_text !== undefined
  if (single && patches.length > 0) {
    throw new ToolError(
      'invalid_arguments',
      'Both old_text/new_text and patches were passed, but only one is allowed.',
      'Put every replacement into patches, or make one call for each.',
    )
  }
  if (patches.length === 0) return [singleEdit(args)]
  if (patches.length > 1 && (args.start_line !== undefined || args.end_line !== undefined)) {
    throw new ToolError(
      'invalid_arguments',
      'start_line and end_line are ambiguous next to several patches.',
      'Put start_line and end_line into the patches they belong to.',
    )
  }
  return patches.map((given) => ({
    oldText: given.old_text,
    newText: given.new_text,
    startLine: given.start_line ?? args.start_line,
    endLine: given.end_line ?? args.end_line,
  }))
}

function blockEdits(args: Arguments, others: boolean): Edit[] {
  if (others || args.old_text !== undefined || args.new_text !== undefined) {
    throw new ToolError(
      'invalid_arguments',
      'Both patch and other replacements were passed, but only one is allowed.',
      'Pass one of them.',
    )
  }
  return (parseBlocks(args.patch ?? '') ?? []).map(({ search, replace, startLine }) => ({
    oldText: search,
    newText: replace,
    startLine,
  }))
}

function singleEdit(args: Arguments): Edit {
  if (args.old_text === undefined || args.new_text === undefined) {
    const neither = args.old_text === undefined && args.new_text === undefined
    const missing = args.old_text === undefined ? 'old_text is missing.' : 'new_text is missing.'
    throw new ToolError(
      'invalid_arguments',
      neither ? 'old_text and new_text, or patches, are missing.' : missing,
      'Pass {"path", "old_text", "new_text"} for one replacement (an empty new_text deletes), ' +
        'or {"path", "patches": [{"old_text", "new_text"}]} for several.',
    )
  }
  return { oldText: args.old_text, newText: args.new_text, startLine: args.start_line, endLine: args.end_line }
}

/**
 * Renames aliases inside patches, as in the single form. Two names with different values remain and are refused as
 * unknown.
 */
function renameTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const result = new Map(Object.entries(value))
  for (const [alias, main] of Object.entries(textAliases)) {
    if (!result.has(alias)) continue
    if (!result.has(main)) result.set(main, result.get(alias))
    if (result.get(main) === result.get(alias)) result.delete(alias)
  }
  return Object.fromEntries(result)
}
