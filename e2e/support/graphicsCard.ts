import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Puts a program `nvidia-smi` on PATH, which reports a graphics card of a constant power to each Tizona that starts
 * until it is removed.
 * @param watts power of the card
 */
export async function graphicsCard(watts: number): Promise<{ remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-graphics-'))
  const program = join(folder, 'nvidia-smi')
  await writeFile(program, `#!/bin/sh\nwhile echo "0, ${watts}.00"; do sleep 0.1; done\n`)
  await chmod(program, 0o755)
  const before = process.env['PATH'] ?? ''
  process.env['PATH'] = `${folder}${delimiter}${before}`
  return {
    async remove() {
      process.env['PATH'] = before
      await rm(folder, { recursive: true, force: true })
    },
  }
}
