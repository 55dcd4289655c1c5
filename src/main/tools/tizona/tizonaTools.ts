import type { Tool } from '../tool.ts'
import { loadSkill } from './loadSkill.ts'
import { todoWrite } from './todoWrite.ts'

/** Tools of Tizona's own, offered beside those of every toolset. `load_skill` is offered only where there are skills (core.ts). */
export const tizonaTools: readonly Tool[] = [todoWrite, loadSkill]
