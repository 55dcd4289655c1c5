import { expect, it } from 'vitest'
import { bubblewrapProblem, probeSandbox } from './sandboxProbe.ts'

it.each([
  ['bwrap: setting up uid map: Permission denied', true, 'AppArmor forbids user namespaces', /AppArmor profile/],
  [
    'bwrap: setting up uid map: Permission denied',
    false,
    'this machine or container forbids user namespaces',
    /sysctl/,
  ],
  ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', true, 'AppArmor forbids user namespaces', /profile/],
  [
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.',
    false,
    'this machine or container forbids user namespaces',
    /max_user_namespaces/,
  ],
  [
    'bwrap: Creating new namespace failed: Operation not permitted',
    false,
    'this machine or container forbids user namespaces',
    /seccomp/,
  ],
  [
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    false,
    'this container does not allow mounting /proc',
    /container/,
  ],
  ['bwrap: Unknown option --cap-drop', false, 'bubblewrap does not start: Unknown option --cap-drop', /^$/],
])('%s (AppArmor %s) means: %s', (output, appArmor, reason, hint) => {
  const state = bubblewrapProblem(`${output}\n`, appArmor)
  expect(state).toEqual({ kind: 'unavailable', reason, hint: expect.stringMatching(hint) })
})

it('Windows has no sandbox, and WSL is suggested', async () => {
  expect((await probeSandbox('win32')).state).toMatchObject({
    kind: 'unavailable',
    hint: expect.stringContaining('WSL 2'),
  })
})
