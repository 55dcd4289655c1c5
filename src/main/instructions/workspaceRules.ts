import { compileGlob } from '../base/glob.ts'
import { plural } from '../../shared/text/plural.ts'
import { fieldText, parseFrontMatter, splitList } from './frontMatter.ts'
import { joinNotes, readWorkspaceText, workspaceEntries, type InstructionDeps } from './instructionFiles.ts'

/** A rule of the workspace. It applies always, to some files, or if the model considers it relevant. */
export interface Rule {
  /** Relative to the workspace. */
  path: string
  description: string
  /** Applies to every conversation. */
  always: boolean
  text: string
  note?: string
  /** Whether the rule applies to a file. */
  matches(path: string): boolean
}

const folders = [
  { folder: '.tizona/rules', suffix: '.md', withoutFields: true },
  // Cursor rules without fields apply only when the user refers to them.
  { folder: '.cursor/rules', suffix: '.mdc', withoutFields: false },
] as const
const maxGlobs = 50
const maxGlobLength = 300

/** Reads the rules of the workspace. Fields as in Cursor's files: `globs`, `alwaysApply`, `description`. */
export async function readRules(deps: InstructionDeps, signal: AbortSignal): Promise<Rule[]> {
  const rules: Rule[] = []
  for (const { folder, suffix, withoutFields } of folders) {
    const names = (await workspaceEntries(deps, folder, 'file', signal)).filter((name) => name.endsWith(suffix))
    for (const name of names) {
      const read = await readWorkspaceText(deps, `${folder}/${name}`, signal)
      if (read) rules.push(toRule(read, withoutFields))
    }
  }
  return rules
}

function toRule(read: { path: string; text: string; note?: string }, withoutFields: boolean): Rule {
  const matter = parseFrontMatter(read.text)
  const description = fieldText(matter, 'description')
  const globs = (matter.fields.get('globs') ?? []).flatMap(splitList)
  const usable = globs
    .filter((glob) => glob.length <= maxGlobLength)
    .slice(0, maxGlobs)
    .flatMap((glob) => compileGlob(toPathGlob(glob)) ?? [])
  const alwaysApply = fieldText(matter, 'alwaysApply').toLowerCase()
  return {
    path: read.path,
    description,
    always: alwaysApply === 'true' || (withoutFields && alwaysApply === '' && globs.length === 0 && description === ''),
    text: matter.body.trim(),
    ...joinNotes(
      read.note,
      usable.length < globs.length ? `${plural(globs.length - usable.length, 'glob')} ignored` : undefined,
    ),
    matches: (path) => usable.some((matches) => matches(path)),
  }
}

/** A glob without a folder matches files in any folder, like in an ignore file. */
function toPathGlob(glob: string): string {
  const plain = glob.replace(/^\.?\//, '')
  return plain.includes('/') || glob.startsWith('/') ? plain : `**/${plain}`
}
