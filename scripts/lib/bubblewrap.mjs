import { existsSync } from 'node:fs'
import { capture, say } from './steps.mjs'

/** As root on Debian, installs bubblewrap, which the sandbox tests need. Without it, they are skipped with a reason. */
export async function ensureBubblewrap() {
  if (process.platform !== 'linux' || existsSync('/usr/bin/bwrap')) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  say('Installing bubblewrap for the tests of the sandbox')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'bubblewrap']]) {
    const { code, output } = await capture('apt-get', args, { env })
    if (code !== 0) return say(`apt-get ${args[0]} failed: ${output.trim().split('\n').at(-1)}`)
  }
}
