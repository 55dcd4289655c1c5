import { truncateBlade } from '../truncate.ts'
import type { Toolset } from '../toolset.ts'

/** Rustant's tools: none yet. Its name can be chosen and says so; the tools and their own caps come with them. */
export const rustantToolset: Toolset = { name: 'rustant', title: 'Rustant', tools: [], truncate: truncateBlade }
