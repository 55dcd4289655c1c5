import { expect, it } from 'vitest'
import { resolveVariables, variablesIn, type VariableContext } from './configurationVariables.ts'

const context: VariableContext = {
  root: '/work/my app',
  home: '/home/me',
  environment: { LANG: 'C' },
  active: { path: 'src/deep/main.test.ts', line: 7, selection: 'total' },
  inputs: { port: '80' },
}

it.each([
  ['${workspaceFolder}/a', '/work/my app/a'],
  ['${workspaceRoot}', '/work/my app'],
  ['${workspaceFolder:my app}', '/work/my app'],
  ['${workspaceFolderBasename}', 'my app'],
  ['${file}', '/work/my app/src/deep/main.test.ts'],
  ['${fileWorkspaceFolder}', '/work/my app'],
  ['${relativeFile}', 'src/deep/main.test.ts'],
  ['${relativeFileDirname}', 'src/deep'],
  ['${fileBasename}', 'main.test.ts'],
  ['${fileBasenameNoExtension}', 'main.test'],
  ['${fileDirname}', '/work/my app/src/deep'],
  ['${fileDirnameBasename}', 'deep'],
  ['${fileExtname}', '.ts'],
  ['${lineNumber}', '7'],
  ['${selectedText}', 'total'],
  ['${cwd}', '/work/my app'],
  ['${userHome}', '/home/me'],
  ['a${pathSeparator}b${/}c', 'a/b/c'],
  ['${env:LANG}${env:AWS_SECRET}${env:constructor}', 'C'],
  ['${input:port}:${lineNumber}', '80:7'],
  ['$HOME $${x', '$HOME $${x'],
])('%s is %s', (text, value) => expect(resolveVariables(text, context)).toBe(value))

it.each([
  ['${config:python.path}', /\$\{config:python\.path\} cannot be resolved\. VS Code settings are not available/],
  ['${command:pickProcess}', /cannot pick a process/],
  ['${command:cmake.launchTargetPath}', /\$\{command:cmake\.launchTargetPath\}.*VS Code commands/],
  ['${input:other}', /no value for the input "other"/],
  ['${input:constructor}', /no value for the input/],
  ['${workspaceFolder:other}', /No open folder has this name/],
  ['${constructor}', /It is unknown/],
  ['${HOME}', /It is unknown/],
])('%s is refused', (text, message) => expect(() => resolveVariables(text, context)).toThrow(message))

it('without an active file, its variables are an error that says so', () => {
  for (const name of ['file', 'fileBasename', 'lineNumber', 'selectedText'])
    expect(() => resolveVariables(`\${${name}}`, { ...context, active: null })).toThrow('No file of the folder is open')
})

it('the name of a folder means this folder, although the own one has it on disk', () => {
  const folders = [
    { name: 'api', path: '/work/old/api' },
    { name: 'api-2', path: '/work/api' },
  ]
  expect(resolveVariables('${workspaceFolder:api}', { ...context, root: '/work/api', folders })).toBe('/work/old/api')
})

it('values are not searched for variables, and all strings of an object are replaced', () => {
  const inputs = { port: '${env:LANG}$&' }
  expect(resolveVariables({ a: ['${input:port}', 7, null], b: { c: '${/}' } }, { ...context, inputs })).toEqual({
    a: ['${env:LANG}$&', 7, null],
    b: { c: '/' },
  })
  expect([...variablesIn({ a: ['${input:x}${file}'], b: { c: '${/}' } })]).toEqual(['input:x', 'file', '/'])
})

it('names that a shell replaces are kept on request', () => {
  expect(resolveVariables('${HOME} ${file}', { ...context, keepUnknown: true })).toBe(
    '${HOME} /work/my app/src/deep/main.test.ts',
  )
  expect(() => resolveVariables('${config:x}', { ...context, keepUnknown: true })).toThrow('VS Code settings')
})

it('a megabyte of openings takes a moment', () => {
  const before = process.cpuUsage()
  resolveVariables('${'.repeat(500_000), context)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
})
