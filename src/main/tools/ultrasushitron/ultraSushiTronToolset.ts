import type { Toolset } from '../toolset.ts'
import { bash } from './bash.ts'
import { ultraSushiTronCore, ultraSushiTronMedium } from './ultraSushiTronCoreTools.ts'
import { diff } from './diff.ts'
import { edit } from './edit.ts'
import { find } from './find.ts'
import { grep } from './grep.ts'
import { httpFetch } from './httpFetch.ts'
import { listDir } from './listDir.ts'
import { patch } from './patch.ts'
import { read } from './read.ts'
import { truncateUltraSushiTron } from './ultraSushiTronTruncation.ts'
import { webSearch } from './webSearch.ts'
import { write } from './write.ts'

/** UltraSushiTron's tools. */
export const ultraSushiTronToolset: Toolset = {
  name: 'ultrasushitron',
  title: 'UltraSushiTron',
  core: ultraSushiTronCore,
  medium: ultraSushiTronMedium,
  tools: [read, grep, find, listDir, edit, patch, write, diff, bash, httpFetch, webSearch],
  truncate: truncateUltraSushiTron,
}
