import { readFile, readdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

const compress = promisify(brotliCompress)
/** As in src/main/hosts/browser/staticAssets.ts, which serves the files. */
const compressible = new Set(['.js', '.css', '.json', '.svg', '.wasm', '.ttf'])
const minSize = 4096
/** The middle of 0 to 11: a tenth larger than the best, in a fiftieth of its time. */
const quality = 5

/**
 * Writes a file with Brotli beside each large file of a built window, so that the browser host need not compress them
 * while a window waits.
 * @param {string} folder `assets/` of the built window
 */
export async function compressAssets(folder) {
  for (const name of await readdir(folder)) {
    if (!compressible.has(extname(name))) continue
    const body = await readFile(join(folder, name))
    if (body.length < minSize) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
    await writeFile(join(folder, `${name}.br`), await compress(body, { params }))
  }
}
