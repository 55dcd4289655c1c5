import { afterEach, describe, expect, it } from 'vitest'
import { hostOf, programFor } from './remoteAddress.ts'
import { shellCommand } from './remoteShell.ts'

describe('addresses of hosts', () => {
  afterEach(() => {
    delete process.env['TIZONA_SSH_CONFIG']
  })

  it('names hosts by how they are reached', () => {
    expect(['box', ' ada@box:2222 ', 'ssh://ada@[::1]:22', 'docker:web-1', 'wsl:Ubuntu 24.04'].map(hostOf)).toEqual([
      { address: 'box', label: 'SSH: box' },
      { address: 'ada@box:2222', label: 'SSH: ada@box:2222' },
      { address: 'ssh://ada@[::1]:22', label: 'SSH: ada@::1:22' },
      { address: 'docker:web-1', label: 'Container: web-1' },
      { address: 'wsl:Ubuntu 24.04', label: 'WSL: Ubuntu 24.04' },
    ])
  })

  it.each([
    '',
    '-oProxyCommand=touch x',
    'ada@-box',
    'box;touch x',
    '$(touch x)',
    '`id`@box',
    'box box',
    'box:port',
    'docker:-v',
    'docker:a b',
    'wsl:-e',
    'box\nHost other',
  ])('refuses %j, which would be an option or run a command', (address) => {
    expect(() => hostOf(address)).toThrow('is not the name of a host')
    expect(() => programFor(address, {})).toThrow('is not the name of a host')
  })

  it('runs a POSIX shell by ssh, docker and wsl', () => {
    process.env['TIZONA_SSH_CONFIG'] = '/etc/my config'
    const { file, args } = programFor('ada@box:2222', { SSH_ASKPASS: 'ask' })
    expect([file, args.slice(0, 5), args.slice(-3)]).toEqual([
      'ssh',
      ['-F', '/etc/my config', '-p', '2222', '-T'],
      ['--', 'ada@box', shellCommand],
    ])
    expect(programFor('docker:web', {})).toMatchObject({
      file: 'docker',
      args: ['exec', '-i', 'web', '/bin/sh', '-c', expect.any(String)],
    })
    expect(programFor('wsl:Ubuntu', {})).toMatchObject({
      file: 'wsl.exe',
      args: ['-d', 'Ubuntu', '--exec', '/bin/sh', '-c', expect.any(String)],
    })
  })
})
