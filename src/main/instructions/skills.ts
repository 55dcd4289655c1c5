import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { fieldText, parseFrontMatter } from './frontMatter.ts'
import {
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
  /** Folder relative to the workspace; undefined for the user's own skills. */
  folder?: string
}

const workspaceFolders = ['.tizona/skills', '.claude/skills'] as const
const maxSkills = 50
const maxDescription = 300
/** Maximum characters of a skill. */
const maxSkillLength = 32_000

interface SkillFile extends Skill {
  text: string
}

/** Lists the skills by name. The user's own take precedence over the workspace's. */
export async function listSkills(deps: InstructionDeps, signal: AbortSignal): Promise<Skill[]> {
  return (await readSkills(deps, signal)).map(({ name, description, folder }) => ({ name, description, folder }))
}

/** Whether a folder may contain a skill; reads no file. */
export async function hasSkillFolders(deps: InstructionDeps): Promise<boolean> {
  const never = new AbortController().signal
  const found = await Promise.all([
    userEntries(deps.userData, 'skills', 'folder'),
    ...workspaceFolders.map((folder) => workspaceEntries(deps, folder, 'folder', never)),
  ])
  return found.some((names) => names.length > 0)
}

/** Returns the text of a skill. @throws ToolError not_found, listing the names */
export async function loadSkill(
  deps: InstructionDeps,
  name: string,
  signal: AbortSignal,
): Promise<{ skill: Skill; text: string }> {
  const skills = await readSkills(deps, signal)
  const wanted = name.trim().toLowerCase()
  const found = skills.find((skill) => skill.name.toLowerCase() === wanted)
  if (!found) {
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

async function readSkills(deps: InstructionDeps, signal: AbortSignal): Promise<SkillFile[]> {
  const byName = new Map<string, SkillFile>()
  const add = (skill: SkillFile) => {
    if (!byName.has(skill.name.toLowerCase())) byName.set(skill.name.toLowerCase(), skill)
  }
  for (const name of await userEntries(deps.userData, 'skills', 'folder')) {
    const read = await readUserText(deps.userData, `skills/${name}/SKILL.md`)
    if (read) add(toSkill(name, read.text))
  }
  for (const folder of workspaceFolders) {
    for (const name of await workspaceEntries(deps, folder, 'folder', signal)) {
      const read = await readWorkspaceText(deps, `${folder}/${name}/SKILL.md`, signal)
      if (read && read.text !== '') add({ ...toSkill(name, read.text), folder: `${folder}/${name}` })
    }
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, maxSkills)
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
