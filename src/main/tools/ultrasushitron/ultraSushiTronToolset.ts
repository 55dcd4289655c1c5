import type { Toolset } from '../toolset.ts'
import { bash } from './bashTool.ts'
import { ultraSushiTronCore, ultraSushiTronMedium } from './ultraSushiTronCoreTools.ts'
import { diff } from './diffTool.ts'
import { edit } from './editTool.ts'
import { find } from './findTool.ts'
import { grep } from './grepTool.ts'
import { httpFetch } from './httpFetchTool.ts'
import { listDir } from './listDirTool.ts'
import { patch } from './patchTool.ts'
import { read } from './readTool.ts'
import { truncateUltraSushiTron } from './ultraSushiTronTruncation.ts'
import { webSearch } from './webSearchTool.ts'
import { write } from './writeTool.ts'

/** UltraSushiTron's tools, in the order that models see. */
export const ultraSushiTronToolset: Toolset = {
  name: 'ultrasushitron',
  title: 'UltraSushiTron',
  core: ultraSushiTronCore,
  medium: ultraSushiTronMedium,
  tools: [read, grep, find, listDir, edit, patch, write, diff, bash, httpFetch, webSearch],
  truncate: truncateUltraSushiTron,
}
