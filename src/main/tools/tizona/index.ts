import type { Tool } from '../tool.ts'
import { todoWrite } from './todoWrite.ts'

/** Tools of Tizona's own, offered beside those of every toolset. */
export const tizonaTools: readonly Tool[] = [todoWrite]
