// Writes the generated documents. With --check, only reports those that differ from their sources.
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { recordings } from '../e2e/scenarios/models/index.ts'
import { modelsDocs } from '../e2e/scenarios/models/modelsDocs.ts'
import { languageDocs } from '../src/main/code/index/languageDocs.ts'
import { settingsDocs } from '../src/main/settings/settingsDocs.ts'
import { exampleOutputs } from '../src/main/testing/toolExamples.ts'
import { bladeToolset } from '../src/main/tools/blade/bladeToolset.ts'
import { rustantToolset } from '../src/main/tools/rustant/rustantToolset.ts'
import { rustyToolset } from '../src/main/tools/rusty/rustyToolset.ts'
import { tizonaTools } from '../src/main/tools/tizona/tizonaTools.ts'
import { toolDocs } from '../src/main/tools/schema/toolDocs.ts'
import { ultraSushiTronToolset } from '../src/main/tools/ultrasushitron/ultraSushiTronToolset.ts'

const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const own = { title: "Tizona's own", tools: tizonaTools }
const documents = [
  { name: 'docs/tools.md', source: 'the tools', text: toolDocs([...toolsets, own], await exampleOutputs(toolsets)) },
  {
    name: 'docs/languages.md',
    source: 'the tag queries',
    text: languageDocs((query) => readFileSync(new URL(`../resources/grammars/${query}.scm`, import.meta.url), 'utf8')),
  },
  { name: 'docs/settings.md', source: 'the table of settings', text: settingsDocs() },
  { name: 'docs/models.md', source: 'the recordings', text: modelsDocs(recordings) },
]

for (const { name, source, text } of documents) {
  const file = new URL(`../${name}`, import.meta.url)
  if (!process.argv.includes('--check')) {
    await writeFile(file, text)
    console.log(`${name} written`)
  } else if ((await readIfThere(file)) !== text) {
    console.error(`${name} differs from ${source}. Run: npm run docs`)
    process.exitCode = 1
  }
}

async function readIfThere(file: URL): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
