// Writes docs/tools.md from the tools; with --check it only fails where the file is not what they say.
import { readFile, writeFile } from 'node:fs/promises'
import { exampleOutputs } from '../src/main/testing/toolExamples.ts'
import { bladeToolset } from '../src/main/tools/blade/index.ts'
import { rustantToolset } from '../src/main/tools/rustant/index.ts'
import { rustyToolset } from '../src/main/tools/rusty/index.ts'
import { tizonaTools } from '../src/main/tools/tizona/index.ts'
import { toolDocs } from '../src/main/tools/toolDocs.ts'
import { ultraSushiTronToolset } from '../src/main/tools/ultrasushitron/index.ts'

const file = new URL('../docs/tools.md', import.meta.url)
const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const own = { title: "Tizona's own", tools: tizonaTools }
const wanted = toolDocs([...toolsets, own], await exampleOutputs(toolsets))

if (process.argv.includes('--check')) {
  const there = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  if (there !== wanted) {
    console.error('docs/tools.md is not what the tools say. Run: node scripts/docs.ts')
    process.exitCode = 1
  }
} else {
  await writeFile(file, wanted)
  console.log('docs/tools.md written')
}
