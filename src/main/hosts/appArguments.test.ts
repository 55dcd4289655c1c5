import { describe, expect, it } from 'vitest'
import { parseAppArguments, UsageError } from './appArguments.ts'

it('a folder, a port and --no-open are all there is to say', () => {
  expect(parseAppArguments([])).toEqual({ folder: undefined, port: 0, open: true })
  expect(parseAppArguments(['dir with spaces', '--port', '8123', '--no-open'])).toEqual({
    folder: 'dir with spaces',
    port: 8123,
    open: false,
  })
  expect(parseAppArguments(['--port=8123'])).toMatchObject({ port: 8123 })
})

describe('anything else is a wrong command line', () => {
  it.each([
    [['--color']],
    [['a', 'b']],
    [['--port', 'x']],
    [['--port', '70000']],
    [['--port', '-1']],
    [['--port', '1.5']],
    [['--port']],
  ])('%j', (args) => {
    expect(() => parseAppArguments(args)).toThrow(UsageError)
  })
})
