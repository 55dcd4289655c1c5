import type { Tool } from '../toolDefinition.ts'
import { loadSkill } from './loadSkill.ts'
import { todoWrite } from './todoWrite.ts'

/**
 * Tizona's own tools, offered with each toolset. `load_skill` is offered only if there are skills (appToolRegistry.ts).
 */
export const tizonaTools: readonly Tool[] = [todoWrite, loadSkill]
