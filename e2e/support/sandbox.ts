import { existsSync } from 'node:fs'
import { test } from './app.ts'

/** Skips a story of sandboxed commands, with the reason, where commands are not sandboxed. */
export function skipWithoutSandbox(): void {
  test.skip(
    process.platform === 'linux' && !existsSync('/usr/bin/bwrap'),
    'bubblewrap is not installed, so commands are not sandboxed',
  )
  test.skip(process.platform === 'win32', 'Windows has no sandbox')
}
