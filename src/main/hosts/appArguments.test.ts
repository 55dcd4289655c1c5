import { describe, expect, it } from 'vitest'
import { parseAppArguments, UsageError } from './appArguments.ts'

it('accepts a folder, a port, --no-open and a log level', () => {
  expect(parseAppArguments([])).toMatchObject({
    target: undefined,
    others: [],
    add: false,
    wait: false,
    port: 0,
    open: true,
  })
  expect(parseAppArguments(['dir with spaces', '--port', '8123', '--no-open'])).toMatchObject({
    target: 'dir with spaces',
    add: false,
    wait: false,
    port: 8123,
    open: false,
  })
  expect(parseAppArguments(['-a', 'dir'])).toMatchObject({ add: true, target: 'dir' })
  expect(parseAppArguments(['--port=8123'])).toMatchObject({ port: 8123 })
  expect(parseAppArguments(['--public-origin', 'https://tizona.example:8443/'])).toMatchObject({
    publicOrigin: 'https://tizona.example:8443',
  })
  expect(parseAppArguments(['--public-origin', 'http://127.0.0.1:9000'])).toMatchObject({
    publicOrigin: 'http://127.0.0.1:9000',
  })
  expect(parseAppArguments(['--log-level', 'debug'])).toMatchObject({ logLevel: 'debug' })
})

describe('rejects any other command line', () => {
  it.each([
    [['--color']],
    [['--diff', 'a']],
    [['--diff', 'a', 'b', 'c']],
    [['--port', 'x']],
    [['--port', '70000']],
    [['--port', '-1']],
    [['--port', '1.5']],
    [['--port']],
    [['--public-origin', 'tizona.example']],
    [['--public-origin', '*']],
    [['--public-origin', 'http://tizona.example']],
    [['--public-origin', 'ftp://tizona.example']],
    [['--public-origin', 'file:///tmp']],
    [['--public-origin', 'https://*.example']],
    [['--public-origin', 'https://tizona.example/path']],
    [['--public-origin', 'https://user@tizona.example']],
    [['--public-origin', 'https://tizona.example?query']],
    [['--public-origin', '']],
    [['--log-level', 'loud']],
    [['--log-level']],
  ])('%j', (args) => {
    expect(() => parseAppArguments(args)).toThrow(UsageError)
  })
})

it('accepts a file and --wait, as GIT_EDITOR passes them', () => {
  expect(parseAppArguments(['--wait', '.git/COMMIT_EDITMSG'])).toMatchObject({
    target: '.git/COMMIT_EDITMSG',
    wait: true,
  })
  expect(parseAppArguments(['-w', '-g', 'a.ts:3:14'])).toMatchObject({ target: 'a.ts:3:14', wait: true })
})

it('accepts several files, two files to compare, and where to open them, as VS Code does', () => {
  expect(parseAppArguments(['a', 'b:3', 'c'])).toMatchObject({ target: 'a', others: ['b:3', 'c'] })
  const compared = parseAppArguments(['-d', 'a', 'b'])
  expect(compared).toMatchObject({ target: 'b', compareWith: 'a', others: [] })
  expect(parseAppArguments(['-n', 'a'])).toMatchObject({ newWindow: true, reuse: false })
  expect(parseAppArguments(['-r', 'a'])).toMatchObject({ newWindow: false, reuse: true })
})

it('an unknown option is named without advice for arguments that start with a dash', () => {
  expect(() => parseAppArguments(['--color'])).toThrow(new UsageError("Unknown option '--color'."))
})
