import { argv } from 'node:process'
import { writeTinyModel } from '../src/main/model/testing/tinyModel.ts'

// `node scripts/tinyModel.ts FILE.gguf`: writes the random-weight model used by the tests, for trying out model files
// without a download.

const file = argv[2]
if (file?.endsWith('.gguf')) console.log(`Wrote ${await writeTinyModel(file)}`)
else {
  console.error('Usage: node scripts/tinyModel.ts FILE.gguf')
  process.exitCode = 2
}
