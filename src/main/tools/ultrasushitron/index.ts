import { truncateBlade } from '../truncate.ts'
import type { Toolset } from '../toolset.ts'

/** UltraSushiTron's tools: none yet. Its name can be chosen and says so; the tools and their own caps come with them. */
export const ultraSushiTronToolset: Toolset = { name: 'ultrasushitron', title: 'UltraSushiTron', tools: [], truncate: truncateBlade }
