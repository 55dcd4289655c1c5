import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isLongForm } from '../testing/longForm.ts'
import { temporaryFolder, writeTree } from './testing/toolContext.ts'

// Several processes change the same files at the same time, each through the tools or the editor's save.

const manyProcesses = isLongForm ? 6 : 3
const twoProcesses = isLongForm ? 6 : 2
const editsEach = isLongForm ? 120 : 12
let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

interface Report {
  done: string[]
  /** Codes of the failures. */
  failed: string[]
}

/**
 * Runs `body` in several processes at once. It can use `context`, `runTool`, `tool` by name, `number` (of the process),
 * `edits` (how many to make), and `attempt(slot, work)`, which records the slot as done, or the code of the failure.
 */
async function inProcesses(processes: number, body: string): Promise<Report[]> {
  const module = (name: string) => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, name)).href)
  const script = (number: number) => `
    const { testContext, runTool } = await import(${module('testing/toolContext.ts')})
    const { editFile } = await import(${module('blade/editFile.ts')})
    const { writeFile } = await import(${module('blade/writeFile.ts')})
    const { deleteFile } = await import(${module('blade/deleteFile.ts')})
    const { applyExactEdit } = await import(${module('common/exactEdit.ts')})
    const context = await testContext(${JSON.stringify(folder.root)})
    const number = ${number}, edits = ${editsEach}
    const report = { done: [], failed: [] }
    const attempt = (slot, work) => work().then(() => report.done.push(slot), (error) => report.failed.push(error.code ?? String(error)))
    console.log('ready')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    ${body}
    console.log(JSON.stringify(report))
    process.exit(0)`
  const children = Array.from({ length: processes }, (_, number) =>
    spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script(number)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const outputs = children.map((child) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    return () => text
  })
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const ended = children.map((child) => once(child, 'close'))
  for (const child of children) child.stdin.write('go\n')
  await Promise.all(ended)
  // The last line that the script above printed.
  return outputs.map((output) => JSON.parse(output().trim().split('\n').at(-1) ?? '') as Report)
}

const slotsFile = (processes: number) =>
  Array.from({ length: processes * editsEach }, (_, slot) => `slot ${slot}: empty;\n`).join('')

describe('processes that edit one file', () => {
  it('lose no exact edit, because each is applied again to the current text', async () => {
    await writeTree(folder.root, { 'slots.txt': slotsFile(manyProcesses) })
    const reports = await inProcesses(
      manyProcesses,
      `
      for (let index = 0; index < edits; index += 1) {
        const slot = 'slot ' + (index * ${manyProcesses} + number) + ':'
        const [old, now] = [slot + ' empty;', slot + ' process ' + number + ';']
        await attempt(slot, () => index % 2 === 0
          ? runTool(editFile, { path: 'slots.txt', old_content: old, new_content: now }, context)
          : applyExactEdit({ path: 'slots.txt', old_string: old, new_string: now }, context))
      }`,
    )
    expect(reports.flatMap(({ failed }) => failed)).toEqual([])
    expect(reports.flatMap(({ done }) => done)).toHaveLength(manyProcesses * editsEach)
    const text = await readFile(path.join(folder.root, 'slots.txt'), 'utf8')
    expect(text.split('\n').filter((line) => line.includes('empty'))).toEqual([])
    expect(text.split('\n')).toHaveLength(manyProcesses * editsEach + 1)
    expect(await readdir(folder.root)).toEqual(['slots.txt'])
  })

  it('lose no edit that was reported as done, and refuse edits that cannot be applied again', async () => {
    await writeTree(folder.root, { 'slots.txt': slotsFile(twoProcesses) })
    const reports = await inProcesses(
      twoProcesses,
      `
      for (let index = 0; index < edits; index += 1) {
        const slot = 'slot ' + (index * ${twoProcesses} + number) + ':'
        await attempt(slot, async () => {
          if (index % 2 === 0) {
            const base = await context.documents.read('slots.txt')
            await context.documents.edit(base, base.text.replace(slot + ' empty', slot + ' done'))
          } else {
            const { text, format, stamp } = await context.documents.open('slots.txt')
            await context.documents.save('slots.txt', text.replace(slot + ' empty', slot + ' done'), format, { stamp })
          }
        })
      }`,
    )
    const done = reports.flatMap((report) => report.done)
    const failed = reports.flatMap((report) => report.failed)
    expect(done.length + failed.length).toBe(twoProcesses * editsEach)
    expect(new Set(failed)).toEqual(new Set(failed.length > 0 ? ['changed_on_disk'] : []))
    const text = await readFile(path.join(folder.root, 'slots.txt'), 'utf8')
    expect(
      text
        .split('\n')
        .filter((line) => line.endsWith(' done;'))
        .map((line) => line.slice(0, line.indexOf(':') + 1))
        .toSorted(),
    ).toEqual(done.toSorted())
  })

  it('create, delete and replace it one after another, and a deletion can be undone', async () => {
    const reports = await inProcesses(
      twoProcesses,
      `
      for (let index = 0; index < edits; index += 1) {
        const content = 'written by ' + number + ' the time ' + index
        await attempt('write', () => runTool(writeFile, { path: 'shared.txt', content }, context))
        await attempt('delete', () => runTool(deleteFile, { path: 'shared.txt' }, context))
      }
      // Each text that was deleted is one that was written, and no text was deleted twice.
      report.done = context.journal.recorded.flatMap(({ changes }) => changes).filter(({ after }) => after === null).map(({ before }) => before)`,
    )
    const deleted = reports.flatMap((report) => report.done)
    expect(new Set(deleted).size).toBe(deleted.length)
    expect(deleted.every((text) => /^written by \d the time \d+$/.test(text))).toBe(true)
    expect(
      reports.flatMap((report) => report.failed).filter((code) => !['changed_on_disk', 'not_found'].includes(code)),
    ).toEqual([])
  })
})
