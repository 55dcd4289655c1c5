import { expect, it } from 'vitest'
import { cargoArguments } from './cargoBuild.ts'
import { parseEnvironmentFile } from './environmentFile.ts'
import { parseLaunchFile } from './launchEntries.ts'
import { splitWords } from './splitWords.ts'

it('an environment file has comments, quotes, export and values of several lines', () => {
  const text = [
    '# comment',
    'A=1 # after',
    'export B = two words ',
    'C="a # b\\n\\"c\\""',
    "D='raw \\n $X' # after",
    'E="first',
    'second" rest',
    'F=a#b',
    'G="open',
    'H=',
    'no variable',
    'I=https://x/?a=b',
  ].join('\r\n')
  expect(parseEnvironmentFile(text)).toEqual({
    A: '1',
    B: 'two words',
    C: 'a # b\n"c"',
    D: 'raw \\n $X',
    E: 'first\nsecond',
    F: 'a#b',
    G: '"open',
    H: '',
    I: 'https://x/?a=b',
  })
})

it('lines end as on any system, and other separators are part of a value', () => {
  expect(parseEnvironmentFile('A=1\rB=2\r\nC=3\u20284')).toEqual({ A: '1', B: '2', C: '3\u20284' })
})

it('a hostile environment file is read, in linear time', () => {
  // Quadratic time would take minutes.
  for (const line of ['A="x\n', ' \t'.repeat(1000) + '\n', 'A= \t \t#'])
    expect(parseEnvironmentFile(line.repeat(Math.floor(1_000_000 / line.length)))).toBeDefined()
  for (const end of ['x\ry', 'x\u2028y']) expect(parseEnvironmentFile(`A=${' '.repeat(100_000)}${end}`)).toBeDefined()
})

it('splits a command line into arguments', () => {
  expect(splitWords(String.raw`--name "a \"b" 'c d'e\ f "" ${'\n'}x`)).toEqual(['--name', 'a "b', 'c de f', '', 'x'])
})

it('Cargo builds without running, and reports what it built', () => {
  const format = '--message-format=json-render-diagnostics'
  expect(cargoArguments({ args: ['test', '--lib', '--', 'name'] })).toEqual(['test', '--lib', '--no-run', format])
  expect(cargoArguments({ args: ['run', '--bin=x'] })).toEqual(['build', '--bin=x', format])
  expect(cargoArguments({ args: ['test', '--no-run', '--message-format=json'] })).toEqual([
    'test',
    '--no-run',
    '--message-format=json',
  ])
})

const problems = (text: string) => {
  const { entries, problem } = parseLaunchFile(text)
  return [problem, ...entries.map(({ name, problem: each }) => `${name}: ${each ?? 'ok'}`)].filter(Boolean).join('\n')
}

it('a file that is not JSON is a problem with its line', () => {
  expect(problems('{\n  "configurations": [\n    {"name": }\n  ]\n}')).toBe(
    '.vscode/launch.json is not valid JSON, line 3: Value expected.',
  )
  expect(problems('[]')).toBe('.vscode/launch.json: The value is not an object.')
})

it('comments are allowed, and invalid entries say what is wrong', () => {
  const text = `{
    // all
    "configurations": [
      {"name": "Good", "type": "debugpy", "request": "launch",},
      {"name": "Other", "type": "coreclr", "request": "launch"},
      {"name": "No request", "type": "debugpy"},
      {"type": "debugpy", "request": "launch"},
      {"name": "Args", "type": "debugpy", "request": "launch", "args": 7},
      7
    ],
    "compounds": [
      {"name": "Both", "configurations": ["Good", "Good"], "stopAll": true},
      {"name": "Nested", "configurations": ["Both"]},
      {"name": "Missing", "configurations": ["None"]},
      {"name": "Bad member", "configurations": ["Good", "Other"]},
    ],
  }`
  expect(problems(text)).toMatchInlineSnapshot(`
    "Good: ok
    Other: Tizona has no debugger for the type "coreclr". It knows debugpy, python, go, lldb-dap, lldb, cppdbg, lldb-vscode, gdb, pwa-node, node, node-terminal, pwa-chrome, chrome.
    No request: No request: "request" is not valid. Invalid option: expected one of "launch"|"attach".
    Configuration 4: Configuration 4: "name" is missing.
    Args: Args: "args" is not valid. Invalid input.
    Configuration 6: Configuration 6: The value is not an object.
    Both: ok
    Nested: Nested: "Both" is a compound, and compounds cannot contain others.
    Missing: Missing: there is no configuration "None".
    Bad member: Tizona has no debugger for the type "coreclr". It knows debugpy, python, go, lldb-dap, lldb, cppdbg, lldb-vscode, gdb, pwa-node, node, node-terminal, pwa-chrome, chrome."
  `)
})
