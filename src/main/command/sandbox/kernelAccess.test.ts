import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { probeSandbox } from './sandboxProbe.ts'
import { runSeparately } from './testing/separateRun.ts'

// What a sandboxed command can reach in the kernel, as root and as an ordinary user. Uses the real bubblewrap.

const probed = await probeSandbox()

let base: string
beforeEach(async ({ skip }) => {
  if (probed.program === undefined || process.platform !== 'linux') skip('no sandbox on this machine')
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-kernel-')))
})
afterEach(async () => {
  if (base !== undefined) await rm(base, { recursive: true, force: true })
})

/** Runs Python scripts in one sandbox and returns the lines that each prints. */
async function python(scripts: readonly string[], user: 'same' | 'ordinary', network = false): Promise<string[][]> {
  const commands = scripts.map((script) => `/usr/bin/python3 - <<'END'\n${script}\nEND\necho ====`)
  const { output } = await runSeparately(base, commands.join('\n'), { user, network })
  const parts = output.replaceAll('\r', '').split('====\n')
  return scripts.map((_, index) => (parts[index] ?? '').trim().split('\n'))
}

const sockets = `
import socket, errno
for name, family, type, protocol in [
  ('unix', 1, 1, 0), ('inet', 2, 1, 0), ('inet6', 10, 1, 0), ('udp', 2, 2, 0), ('routes', 16, 3, 0),
  ('vsock', 40, 1, 0), ('alg', 38, 5, 0), ('netfilter', 16, 3, 12), ('audit', 16, 3, 9), ('generic', 16, 3, 16),
  ('packet', 17, 3, 0), ('bluetooth', 31, 3, 0), ('can', 29, 3, 1), ('key', 15, 3, 2), ('tipc', 30, 5, 0),
  ('xdp', 44, 3, 0), ('rds', 21, 5, 0), ('qipcrtr', 42, 2, 0),
]:
  try:
    socket.socket(family, type, protocol).close()
    print(name, 'open')
  except OSError as error:
    print(name, errno.errorcode[error.errno])
try:
  a, b = socket.socketpair()
  print('pair', 'open')
except OSError as error:
  print('pair', errno.errorcode[error.errno])
`

const namespaces = `
import ctypes, errno, os, signal
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, call):
  ctypes.set_errno(0)
  print(name, 'done' if call() >= 0 else errno.errorcode[ctypes.get_errno()], flush=True)
for name, flag in [('mount', 0x20000), ('cgroup', 0x2000000), ('uts', 0x4000000), ('ipc', 0x8000000), ('user', 0x10000000), ('pid', 0x20000000), ('net', 0x40000000), ('time', 0x80)]:
  attempt('unshare ' + name, lambda: libc.unshare(flag))
  attempt('unshare user and ' + name, lambda: libc.unshare(flag | 0x10000000))
if os.uname().machine == 'x86_64':
  def clone(flags):
    pid = libc.syscall(56, flags | 17, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    return pid
  attempt('clone user', lambda: clone(0x10000000))
  attempt('clone', lambda: clone(0))
attempt('clone3', lambda: libc.syscall(435, 0, 0))
attempt('io_uring', lambda: libc.syscall(425, 1, 0))
attempt('unshare files', lambda: libc.unshare(0x400))
`

const settings = `
import os
for top in ['/proc', '/sys']:
  for folder, folders, files in os.walk(top):
    if folder == '/proc': folders[:] = [name for name in folders if not name.isdigit() and name not in ('self', 'thread-self')]
    for name in files:
      try:
        os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))
        print('writable', os.path.join(folder, name))
      except OSError:
        pass
print('ended')
`

const secrets = `
import os
for top in ['/etc', '/sys/kernel/debug', '/sys/kernel/tracing', '/proc']:
  for folder, folders, files in os.walk(top):
    if folder == '/proc': folders.clear()
    for name in files:
      file = os.path.join(folder, name)
      mode = os.lstat(file).st_mode
      if os.path.islink(file) or mode & 4: continue
      try:
        os.close(os.open(file, os.O_RDONLY | os.O_NONBLOCK))
        print('readable', file)
      except OSError:
        pass
print('ended')
`

/** Checks that common families open, and that others fail as on a kernel without them. */
function expectCommonSockets(lines: readonly string[]): void {
  // A machine can lack the sixth version of the protocol.
  const found = lines.map((line) => line.split(' ')).filter(([name]) => name !== 'inet6')
  const open = found.filter(([, result]) => result === 'open').map(([name]) => name)
  expect(open).toEqual(['unix', 'inet', 'udp', 'routes', 'pair'])
  const others = found.filter(([, result]) => result !== 'open').map(([, result]) => result)
  expect(new Set(others)).toEqual(new Set(['EAFNOSUPPORT']))
}

it.each(['same', 'ordinary'] as const)(
  'a command of the %s user opens no other sockets, namespaces, settings of the kernel and files of root',
  async (user) => {
    const [opened = [], created = [], ...rest] = await python([sockets, namespaces, settings, secrets], user)
    expectCommonSockets(opened)
    expect(created.filter((line) => /^unshare (?!files)/.test(line) && !line.endsWith('EPERM'))).toEqual([])
    expect(created.filter((line) => !line.startsWith('unshare') || line.startsWith('unshare files'))).toEqual([
      ...(process.arch === 'x64' ? ['clone user EPERM', 'clone done'] : []),
      'clone3 ENOSYS',
      'io_uring ENOSYS',
      'unshare files done',
    ])
    expect(rest).toEqual([['ended'], ['ended']])
  },
)

it('a command with network opens sockets of the same families only', async () => {
  const [opened = []] = await python([sockets], 'same', true)
  expectCommonSockets(opened)
})
