import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const loadSkill = defineTool({
  name: 'load_skill',
  title: 'Load skill',
  description: 'Loads the instructions of a skill by name. Load a matching skill before you start the work.',
  risk: 'read',
  schema: () => z.object({ name: z.string().min(1).max(200).describe('Name of the skill, as listed.') }),
  examples: [{ name: 'release-notes' }],
  async run(args, context) {
    const { skill, text } = await context.skills.load(args.name, context.signal)
    const folderNote =
      skill.folder === undefined
        ? ''
        : `\n\n[Other files of the skill are in ${skill.folder}/; read those that the text mentions.]`
    const filesNote =
      skill.files === undefined
        ? ''
        : `\n\n[Other files of the skill, which load_skill loads by these names: ${skill.files.join(', ')}]`
    const origin = skill.folder ?? (skill.plugin === undefined ? 'Your own skill' : `Plug-in ${skill.plugin}`)
    return { text: `${text}${folderNote}${filesNote}`, view: { kind: 'page', text, note: origin } }
  },
})
