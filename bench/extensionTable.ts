import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIsolatedJobs } from '../src/main/base/isolatedJob.ts'
import { createExtensionStore } from '../src/main/settings/extensions/extensionStore.ts'
import { createExpressionJudge } from '../src/main/settings/extensions/judgeExpressions.ts'
import { contributionKinds } from '../src/shared/extensions/extensions.ts'
import { plural } from '../src/shared/text/plural.ts'
import { toFailure } from '../src/shared/errors.ts'

// Prints a Markdown table of what Tizona uses of the extensions in a folder:
//   node bench/extensionTable.ts FOLDER [NAME…]
const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name a folder with extensions.')
const userDataFolder = await mkdtemp(join(tmpdir(), 'tizona-bench-table-'))
const store = await createExtensionStore({
  userDataFolder,
  openArchive: () => Promise.reject(new Error('Only folders are read.')),
  judge: createExpressionJudge(createIsolatedJobs()),
  onNotice: (message) => console.error(message),
  onChanged: () => undefined,
})
console.log('| folder | used | not used |\n|---|---|---|')
for (const name of names.length > 0 ? names : await readdir(folder)) {
  const root = join(folder, name)
  const files = new Map<string, Uint8Array>()
  for (const file of await readdir(root, { recursive: true }).catch((): string[] => [])) {
    const path = join(root, file)
    if (!/(?:^|[\\/])(?:node_modules|dist|out)[\\/]/.test(file) && (await stat(path)).isFile())
      files.set(file.replaceAll('\\', '/'), await readFile(path))
  }
  if (!files.has('package.json')) continue
  const [used, notUsed] = await store.installFolder(name, files).then(
    (info) => [
      info.used.map((each) => plural(each.names.length, contributionKinds[each.kind])).join(', '),
      info.notUsed.map((each) => each.name).join(', '),
    ],
    (error: unknown) => ['–', toFailure(error).message],
  )
  console.log(`| ${name} | ${used} | ${notUsed === '' ? '–' : notUsed} |`)
}
await rm(userDataFolder, { recursive: true, force: true })
