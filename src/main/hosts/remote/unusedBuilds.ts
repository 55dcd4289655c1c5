import { lstat, readdir, realpath, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Milliseconds after which a build that no window has used is removed. The relay marks its folder as used. */
const unusedAfter = 30 * 24 * 3_600_000

/**
 * Removes the other builds that the desktop has installed on this machine (reachHost.ts), if they were not used for
 * long.
 *
 * @param own folder of this build. A clone is beside whatever its user has there, so it removes nothing.
 */
export async function removeUnusedBuilds(own: string, home = homedir()): Promise<void> {
  const builds = dirname(own)
  // The home folder can be a link, and the path of this build is real.
  if (builds !== join(await realpath(home), '.tizona', 'server')) return
  for (const name of await readdir(builds)) {
    const folder = join(builds, name)
    if (folder === own || Date.now() - (await lstat(folder)).mtimeMs < unusedAfter) continue
    await rm(folder, { recursive: true, force: true })
  }
}
