import path from 'node:path/posix'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { inEachFolder } from '../base/workspaceRoots.ts'
import { fieldText, parseFrontMatter } from './frontMatter.ts'
import {
  readPluginText,
  readUserText,
  readWorkspaceText,
  userEntries,
  workspaceEntries,
  type InstructionDeps,
} from './instructionFiles.ts'
import { truncateAtLine } from './instructionText.ts'

/** A folder with a SKILL.md that contains instructions for one kind of task. */
export interface Skill {
  name: string
  description: string
  /** Folder relative to the workspace; undefined for other skills. */
  folder?: string
  /** Name of the plug-in that brings it, and the names under which its other files can be loaded. */
  plugin?: string
  files?: string[]
}

const workspaceFolders = ['.tizona/skills', '.claude/skills'] as const
const maxSkills = 50
/** Maximum number of other files of a skill that are named. */
const maxSkillFiles = 30
const maxDescription = 300
/** Maximum characters of a skill. */
const maxSkillLength = 32_000

interface SkillFile extends Skill {
  text: string
}

const skillFolders = (deps: InstructionDeps): string[] =>
  workspaceFolders.flatMap((folder) => inEachFolder(deps, folder))

/** Lists the skills by name. The user's own take precedence over the workspace's. */
export async function listSkills(deps: InstructionDeps, signal: AbortSignal): Promise<Skill[]> {
  return (await readSkills(deps, signal)).map(({ text: _text, ...skill }) => skill)
}

/** Whether there may be a skill; reads no text of one. */
export async function hasSkillFolders(deps: InstructionDeps): Promise<boolean> {
  const never = new AbortController().signal
  const found = await Promise.all([
    userEntries(deps.userData, 'skills', 'folder'),
    ...skillFolders(deps).map((folder) => workspaceEntries(deps, folder, 'folder', never)),
  ])
  if (found.some((names) => names.length > 0)) return true
  return ((await deps.plugins?.()) ?? []).some(({ contents }) => contents.skills.length > 0)
}

/** Returns the text of a skill. @throws ToolError not_found, listing the names */
export async function loadSkill(
  deps: InstructionDeps,
  name: string,
  signal: AbortSignal,
): Promise<{ skill: Skill; text: string }> {
  const skills = await readSkills(deps, signal)
  const wanted = name.trim().toLowerCase()
  const found = skills.find((skill) => skill.name.toLowerCase() === wanted) ?? onlyOneOf(skills, wanted)
  if (!found) {
    const file = await readSkillFile(deps, skills, name.trim())
    if (file) return file
    const names = skills.map((skill) => skill.name).join(', ')
    throw new ToolError(
      'not_found',
      `There is no skill "${name}".`,
      names === '' ? 'Work without it: this workspace has no skills.' : `Available skills: ${names}.`,
    )
  }
  const { text: whole, ...skill } = found
  const { text, missing } = truncateAtLine(whole, maxSkillLength)
  return { skill, text: missing === 0 ? text : `${text}\n[${plural(missing, 'more character')} omitted here.]` }
}

/** Returns the skill of a plug-in by its own name, if only one plug-in has it. */
function onlyOneOf(skills: readonly SkillFile[], name: string): SkillFile | undefined {
  const found = skills.filter(
    ({ plugin, name: whole }) => plugin !== undefined && whole.toLowerCase().endsWith(`:${name}`),
  )
  return found.length === 1 ? found[0] : undefined
}

/** Reads another file of a skill of a plug-in, which no other tool can reach. @param name `plugin:skill/path` */
async function readSkillFile(
  deps: InstructionDeps,
  skills: readonly SkillFile[],
  name: string,
): Promise<{ skill: Skill; text: string } | undefined> {
  const skill = skills.find(({ files }) => files?.includes(name))
  const plugin = ((await deps.plugins?.()) ?? []).find((each) => each.name === skill?.plugin)
  const entry = plugin?.contents.skills.find((each) => `${plugin.name}:${each.name}` === skill?.name)
  if (!skill || !plugin || !entry) return undefined
  const file = `${path.dirname(entry.file)}/${name.slice(skill.name.length + 1)}`
  const read = await readPluginText(plugin, file)
  if (!read) throw new ToolError('not_found', `${name} is not a text file.`, 'Work without it.')
  const { text, missing } = truncateAtLine(read.text, maxSkillLength)
  const rest = missing === 0 ? '' : `\n[${plural(missing, 'more character')} omitted here.]`
  return { skill: { name, description: '', plugin: plugin.name }, text: `${text}${rest}` }
}

async function readSkills(deps: InstructionDeps, signal: AbortSignal): Promise<SkillFile[]> {
  const byName = new Map<string, SkillFile>()
  const add = (skill: SkillFile) => {
    if (!byName.has(skill.name.toLowerCase())) byName.set(skill.name.toLowerCase(), skill)
  }
  for (const name of await userEntries(deps.userData, 'skills', 'folder')) {
    const read = await readUserText(deps.userData, `skills/${name}/SKILL.md`)
    if (read) add(toSkill(name, read.text))
  }
  for (const folder of skillFolders(deps)) {
    for (const name of await workspaceEntries(deps, folder, 'folder', signal)) {
      const read = await readWorkspaceText(deps, `${folder}/${name}/SKILL.md`, signal)
      if (read && read.text !== '') add({ ...toSkill(name, read.text), folder: `${folder}/${name}` })
    }
  }
  for (const plugin of (await deps.plugins?.()) ?? []) {
    for (const { name, file } of plugin.contents.skills) {
      const read = await readPluginText(plugin, file)
      if (!read) continue
      const whole = `${plugin.name}:${name}`
      const folder = `${path.dirname(file)}/`
      const files = plugin.files
        .filter((each) => each.startsWith(folder) && each !== file)
        .slice(0, maxSkillFiles)
        .map((each) => `${whole}/${each.slice(folder.length)}`)
      add({ ...toSkill(name, read.text), name: whole, plugin: plugin.name, ...(files.length > 0 && { files }) })
    }
  }
  // The user's first, then those of the folder: a plug-in with many skills hides none of them.
  return [...byName.values()].slice(0, maxSkills).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function toSkill(folder: string, text: string): SkillFile {
  const matter = parseFrontMatter(text)
  const description = fieldText(matter, 'description').replaceAll(/\s+/g, ' ').slice(0, maxDescription)
  return {
    name: (fieldText(matter, 'name') || folder).slice(0, 64),
    description: description || 'No description.',
    text: matter.body.trim(),
  }
}
