import { expect, it } from 'vitest'
import { commandEnvironment, terminalEnvironment } from './commandEnvironment.ts'

const source = {
  PATH: '/usr/bin',
  HOME: '/home/ada',
  LC_ALL: 'C',
  GOPATH: '/home/ada/go',
  HTTPS_PROXY: 'http://proxy',
  SSH_AUTH_SOCK: '/run/agent',
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  AWS_ACCESS_KEY_ID: 'k',
  AWS_SESSION_TOKEN: 'k',
  GITHUB_TOKEN: 'k',
  CARGO_REGISTRY_TOKEN: 'k',
  UV_INDEX_MY_PASSWORD: 'k',
  PIP_PASSWORD: 'k',
  GOOGLE_APPLICATION_CREDENTIALS: 'k',
  DATABASE_URL: 'postgres://ada:secret@host',
  MY_VARIABLE: 'v',
  TIZONA_TOKEN: 'k',
  NODE_OPTIONS: '--inspect',
}

it('commands get known variables without keys', () => {
  expect(Object.keys(commandEnvironment(source)).toSorted()).toEqual([
    'COLORTERM',
    'GOPATH',
    'HOME',
    'HTTPS_PROXY',
    'LC_ALL',
    'PATH',
    'SSH_AUTH_SOCK',
    'TERM',
  ])
})

it('the user can pass further variables, but none of Tizona', () => {
  const passed = commandEnvironment(source, ['DATABASE_URL', 'MY_VARIABLE', 'TIZONA_TOKEN'])
  expect(passed).toMatchObject({ DATABASE_URL: source.DATABASE_URL, MY_VARIABLE: 'v' })
  expect(passed).not.toHaveProperty('TIZONA_TOKEN')
})

it('passwords and tokens in addresses are left out, except those of proxies and of variables that the user passes', () => {
  const addresses = {
    PIP_INDEX_URL: 'https://ada:p@ss@index.example/simple',
    GOPROXY: 'https://token@proxy.example,direct',
    CARGO_REGISTRIES_OWN_INDEX: 'ssh://git@git.example/index',
    HTTPS_PROXY: 'http://ada:pass@proxy.example',
  }
  expect(commandEnvironment(addresses)).toMatchObject({
    ...addresses,
    PIP_INDEX_URL: 'https://index.example/simple',
    GOPROXY: 'https://proxy.example,direct',
  })
  expect(commandEnvironment(addresses, ['PIP_INDEX_URL'])).toMatchObject({ PIP_INDEX_URL: addresses.PIP_INDEX_URL })
})

it("the user's terminals get everything else", () => {
  expect(terminalEnvironment(source)).toMatchObject({ MY_VARIABLE: 'v', GITHUB_TOKEN: 'k' })
  expect(terminalEnvironment(source)).not.toHaveProperty('TIZONA_TOKEN')
})
