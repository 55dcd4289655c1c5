import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryFolder } from './memoryFolder.mjs'

const plenty = 2 ** 40

let base
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tizona-memory-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe.runIf(process.platform === 'linux')('the folder for temporary files in memory', () => {
  it('can be entered by other users, and is removed with its content', () => {
    const folder = createMemoryFolder(base, plenty)
    expect(dirname(folder.path)).toBe(base)
    expect(statSync(folder.path).mode & 0o777).toBe(0o755)
    mkdirSync(join(folder.path, 'a'))
    writeFileSync(join(folder.path, 'a', 'b'), '')
    folder.remove()
    expect(readdirSync(base)).toEqual([])
  })

  it('is not created if memory is short, or if the system has none', () => {
    expect(createMemoryFolder(base, 2 ** 30)).toBeNull()
    expect(createMemoryFolder(join(base, 'missing'), plenty)).toBeNull()
    expect(readdirSync(base)).toEqual([])
  })

  it('folders of processes that have ended are removed; others stay', () => {
    const ended = spawnSync(process.execPath, ['--version']).pid
    const [left, running, foreign] = [`tizona-test-${ended}-a`, `tizona-test-${process.pid}-a`, 'other-1-a'].map(
      (name) => join(base, name),
    )
    for (const path of [left, running, foreign]) mkdirSync(path)
    createMemoryFolder(base, plenty).remove()
    expect([left, running, foreign].map((path) => existsSync(path))).toEqual([false, true, true])
  })
})
