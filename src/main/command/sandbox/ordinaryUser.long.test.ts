import { execFile } from 'node:child_process'
import { mkdtemp, chown, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** nobody */
const unprivileged = 65_534
const root = path.resolve(import.meta.dirname, '../../../..')
/** Where the tests of docs/security.md are that run sandboxed commands and git. */
const attacks = [
  'src/main/command/sandbox',
  'src/main/git/git.test.ts',
  'src/main/workspaceServices/gitPrograms.test.ts',
  'src/main/tools/guardedPlaces.test.ts',
]

let home: string
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'tizona-ordinary-'))
  await chown(home, unprivileged, unprivileged).catch(() => undefined)
})
afterAll(() => rm(home, { recursive: true, force: true }))

it('the attacks on the sandbox fail for an ordinary user too', { timeout: 900_000 }, async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('not root, so the other tests ran as an ordinary user')
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // Vitest's other loaders write below node_modules.
    [vitest, 'run', '--configLoader', 'runner', '--exclude', '**/*.long.test.ts', ...attacks],
    {
      cwd: root,
      uid: unprivileged,
      gid: unprivileged,
      maxBuffer: 64 * 2 ** 20,
      env: { PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, HOME: home, NO_COLOR: '1' },
    },
  ).catch((error: unknown) => ({ stdout: error instanceof Error && 'stdout' in error ? String(error.stdout) : '' }))
  expect(stdout.split('\n').filter((line) => /^ *(?:FAIL|Test Files|Tests) /.test(line))).toEqual([
    expect.stringMatching(/Test Files +\d+ passed \(\d+\)/),
    expect.stringMatching(/Tests +\d+ passed(?: \| \d+ skipped)? \(\d+\)/),
  ])
})
