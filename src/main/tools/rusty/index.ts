import { truncateBlade } from '../truncate.ts'
import type { Toolset } from '../toolset.ts'

/** Rusty's tools: none yet. Its name can be chosen and says so; the tools and their own caps come with them. */
export const rustyToolset: Toolset = { name: 'rusty', title: 'Rusty', tools: [], truncate: truncateBlade }
