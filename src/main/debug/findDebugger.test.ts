import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import { debuggerTable } from './debuggerTable.ts'
import { findDebugger } from './findDebugger.ts'

test('a GDB that is too old is not missing: the reason says which version is needed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-debugger-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const gdb = debuggerTable.find(({ id }) => id === 'gdb')
  if (!gdb) throw new Error('There is no GDB in the table.')
  const startProgram = (({ program, args }) =>
    // Finding a debugger uses only these fields.
    Promise.resolve({
      child: spawn(program, [...args]),
      end: () => Promise.resolve(),
      release: () => Promise.resolve(),
    } as unknown as Awaited<ReturnType<StartPipedProgram>>)) satisfies StartPipedProgram
  const find = () =>
    findDebugger(gdb, {
      workspace: { root: folder },
      searchPath: folder,
      home: folder,
      scriptPath: () => '',
      node: () => undefined,
      startProgram,
    })
  expect(await find()).toEqual({ missing: 'gdb is not on PATH.' })
  await writeFile(join(folder, 'gdb'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(await find()).toEqual({
    missing: `${join(folder, 'gdb')} cannot be used. Tizona needs GDB 14 or newer that was built with Python.`,
    isInstalled: true,
    fix: expect.stringMatching(/^Install GDB 14 or newer/),
  })
})

test('js-debug is missing with the address of its download', async () => {
  const javascript = debuggerTable.find(({ id }) => id === 'javascript')
  if (!javascript) throw new Error('There is no js-debug in the table.')
  const found = await findDebugger(javascript, {
    workspace: { root: '/' },
    searchPath: '',
    home: '/',
    scriptPath: () => '',
    node: () => undefined,
    startProgram: () => Promise.reject(new Error('Nothing is started.')),
  })
  expect(found).toEqual({
    missing: 'The setting "js-debug path" is empty.',
    fix: expect.stringContaining('https://github.com/microsoft/vscode-js-debug/releases'),
  })
})
