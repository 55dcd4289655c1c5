import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isLongForm } from '../testing/longForm.ts'

const run = promisify(execFile)
const story = resolve(import.meta.dirname, '../testing/egress.ts')
const limit = { timeout: 100_000, maxBuffer: 10_000_000 }

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-egress-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** Whether a program runs here. */
function works(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A network namespace with only loopback, for an unprivileged user. */
const alone = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']
const canBeAlone = process.platform === 'linux' && works('unshare', ...alone, 'true')
const canTrace = process.platform === 'linux' && works('strace', '-o', '/dev/null', 'true')

it.runIf(canBeAlone)(
  'a turn with a model on this machine works without any network',
  { timeout: 120_000 },
  async () => {
    // Checks that the namespace has no external network, without which the test would be meaningless.
    await expect(run('unshare', [...alone, 'ip', 'route', 'get', '192.0.2.1'], limit)).rejects.toThrow(/unreachable/i)
    const { stdout } = await run('unshare', [...alone, process.execPath, story, home], limit)
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      event: 'run.ended',
      outcome: 'done',
      text: expect.stringContaining('export const answer = 2'),
    })
  },
)

// Tracing every call is slow, and the test above proves the same for this story.
if (isLongForm)
  it('no process connects to anything but this machine', { timeout: 400_000 }, async ({ skip }) => {
    if (!canTrace) skip('no strace')
    const trace = join(home, 'trace')
    const args = ['-f', '-e', 'trace=connect,sendto,sendmsg', '-o', trace, process.execPath, story, home]
    await run('strace', args, { ...limit, timeout: 380_000 })
    const lines = (await readFile(trace, 'utf8')).split('\n')
    const targets = lines.filter((line) => /sa_family=AF_INET6?\b/.test(line))
    expect(targets.length).toBeGreaterThan(0)
    const elsewhere = targets.filter((line) => !/inet_addr\("127\.|inet_pton\(AF_INET6, "(::1|::ffff:127\.)/.test(line))
    expect(elsewhere).toEqual([])
  })
