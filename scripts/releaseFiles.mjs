import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './lib/paths.mjs'
import { writeReleaseFiles, writeSums } from './lib/releaseFiles.mjs'
import { explain, say } from './lib/steps.mjs'

// `node scripts/releaseFiles.mjs [--out FOLDER]`: writes licenses and the bill of materials, as `npm run package` does.
// `node scripts/releaseFiles.mjs --sums FOLDER`: writes SHA256SUMS of the installers in a folder.
try {
  const { values } = parseArgs({ options: { out: { type: 'string' }, sums: { type: 'string' } } })
  if (values.sums === undefined) await writeReleaseFiles(root, resolve(values.out ?? 'out'))
  else say((await writeSums(resolve(values.sums))).join('\n'))
} catch (error) {
  process.exitCode = explain(error)
}
