import { z } from 'zod'
import { defineTool } from '../tool.ts'

export const loadSkill = defineTool({
  name: 'load_skill',
  title: 'Load skill',
  description: 'Loads the instructions of a skill by its name. Load one that fits before the work begins.',
  risk: 'read',
  schema: z.object({ name: z.string().min(1).max(200).describe('Name of the skill, as listed.') }),
  examples: [{ name: 'release-notes' }],
  async run(args, context) {
    const { skill, text } = await context.skills.load(args.name, context.signal)
    const beside =
      skill.folder === undefined
        ? ''
        : `\n\n[Its other files lie in ${skill.folder}/; read them when the text names them.]`
    return { text: `${text}${beside}`, view: { kind: 'page', text, note: skill.folder ?? 'Your own skill' } }
  },
})
