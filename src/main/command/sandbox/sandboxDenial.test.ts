import { describe, expect, it } from 'vitest'
import { missingPaths, recognizeDenial } from './sandboxDenial.ts'

const closed = { sandboxed: true, network: false } as const
const kindOf = (output: string, sandbox: Parameters<typeof recognizeDenial>[0]['sandbox'] = closed) =>
  recognizeDenial({ output, sandbox, hidden: [] })?.retry

describe('a failure without network', () => {
  // Messages of curl, wget, git, npm, pip, cargo, go, ssh, Node and Python.
  it.each([
    'curl: (6) Could not resolve host: example.com',
    "wget: unable to resolve host address 'example.com': Temporary failure in name resolution",
    "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    'npm error code EAI_AGAIN\nnpm error syscall getaddrinfo',
    'WARNING: Retrying after connection broken by NewConnectionError(...)',
    'error: failed to lookup address information: Temporary failure in name resolution',
    'go: example.com/x: dial tcp: lookup proxy.golang.org: no such host',
    'ssh: Could not resolve hostname github.com: Temporary failure in name resolution',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    'psql: error: connection to server at "localhost" failed: Connection refused',
    'connect: Network is unreachable',
  ])('%s', (output) => {
    expect(kindOf(output)).toBe('network')
  })
})

it.each([
  ['touch: cannot touch /usr/x: Read-only file system', 'outside'],
  ["Error: EROFS: read-only file system, open '/etc/x'", 'outside'],
  ['sudo: The "no new privileges" flag is set, which prevents sudo from running as root.', 'outside'],
  ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 'outside'],
  ["bwrap: Can't mkdir /x: Read-only file system", 'outside'],
  ["rm: cannot remove 'dist/.env': Device or resource busy", 'outside'],
  ["Error: EBUSY: resource busy or locked, unlink 'dist/.env'", 'outside'],
  ['[173:173:ERROR:zygote_host_impl_linux.cc:130] No usable sandbox! If this is a Debian system, please', 'outside'],
  ['unshare: unshare failed: Operation not permitted', 'outside'],
  ['error: expected 3, got 4', undefined],
  ['bash: pyhton: command not found', undefined],
])('%s: %s', (output, retry) => {
  expect(kindOf(output)).toBe(retry)
})

it('is not recognized outside the sandbox, and not as missing network where there is network', () => {
  expect(kindOf('Read-only file system', { sandboxed: false, reason: 'off' })).toBeUndefined()
  expect(kindOf('curl: (6) Could not resolve host: x', { sandboxed: true, network: true })).toBeUndefined()
})

it('names hidden paths', () => {
  const output =
    "cat: /home/ada/notes.txt: No such file or directory\nError: ENOENT: no such file, open '/srv/x y'\nok /etc/passwd\n"
  expect(missingPaths(output)).toEqual(['/home/ada/notes.txt', '/srv/x'])
  expect(recognizeDenial({ output, sandbox: closed, hidden: ['/home/ada/notes.txt'] })).toEqual({
    kind: 'files',
    message: 'The sandbox hides /home/ada/notes.txt.',
    retry: 'outside',
  })
})

it('is found at the end of long output in little time', () => {
  expect(kindOf(`${'a'.repeat(2_000_000)}\ncurl: (6) Could not resolve host: x`)).toBe('network')
  expect(missingPaths(`${"'/".repeat(500_000)} no such file`).length).toBeLessThanOrEqual(20)
})
