import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CellResult } from '../../../../shared/notebook/kernels.ts'
import type { ApprovalRequest } from '../../../../shared/tools/approval.ts'
import { createGate } from '../../../approval/gate.ts'
import { testExaminer } from '../../../approval/testing/testExaminer.ts'
import type { RunRequest } from '../../../notebook/kernelSession.ts'
import { folderWithJupyter } from '../../../notebook/testing/notebookFolder.ts'
import { fakeEditor, recordingJournal, runTool, temporaryFolder, testContext } from '../../testing/toolContext.ts'
import { bladeToolset } from '../../blade/bladeToolset.ts'
import { createExecutor } from '../../executor.ts'
import { createToolRegistry } from '../../toolRegistry.ts'
import { cellCommand } from './cellCommand.ts'
import { notebookTools } from './notebookTools.ts'

const [notebookRead, notebookEdit, notebookRun] = notebookTools

const text = `{
  "cells": [
    {"cell_type": "markdown", "source": ["# Caf\\u00e9"], "metadata": {}},
    {"cell_type": "code", "source": ["x = 1\\n", "print(x)"], "metadata": {}, "execution_count": 3,
     "outputs": [{"output_type": "stream", "name": "stdout", "text": ["\\u001b[31m1\\u001b[0m\\n"]},
                 {"output_type": "display_data", "metadata": {}, "data": {"image/png": "aGk=", "text/plain": ["<Figure>"]}}]},
    {"cell_type": "code", "source": "y", "metadata": {}, "execution_count": null, "outputs": []}
  ],
  "metadata": {}, "nbformat": 4, "nbformat_minor": 4
}
`

async function open(run?: (request: RunRequest) => Promise<CellResult>) {
  const { root, remove } = await temporaryFolder({ 'a.ipynb': text, 'b.ipynb': '{}' })
  onTestFinished(remove)
  const journal = recordingJournal()
  const context = await testContext(root, {
    journal,
    notebooks: {
      kernels: () => [],
      sandbox: async () => ({ sandboxed: true, network: false }),
      run: (_notebook: string, request: RunRequest) =>
        run ? run(request) : Promise.reject(new Error('No cell runs in this test.')),
    },
  })
  return { context, journal, stored: () => readFile(path.join(root, 'a.ipynb'), 'utf8'), root }
}

function tool<T>(each: T | undefined): T {
  if (each === undefined) throw new Error('The tool is missing.')
  return each
}

describe('notebook_read', () => {
  it('shows cells by number, with outputs as text', async () => {
    const { context } = await open()
    const result = await runTool(tool(notebookRead), { path: 'a.ipynb' }, context)
    expect(result.text).toBe(
      'a.ipynb: 3 cells, python.\n\n--- Cell 1, markdown\n# Café\n\n--- Cell 2, code [3]\nx = 1\nprint(x)\n--- Output\n1\n<Figure>\n[image/png]\n\n--- Cell 3, code\ny',
    )
    expect((await runTool(tool(notebookRead), { path: 'a.ipynb', cells: [3] }, context)).text).toContain('Cell 3')
  })

  it('says what is wrong with a file or a number', async () => {
    const { context } = await open()
    await expect(runTool(tool(notebookRead), { path: 'b.ipynb' }, context)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: 'b.ipynb is no notebook. It does not name its format ("nbformat").',
    })
    await expect(runTool(tool(notebookRead), { path: 'a.ipynb', cells: [4] }, context)).rejects.toMatchObject({
      message: 'There is no cell 4. The notebook has 3 cells.',
    })
  })
})

describe('notebook_edit', () => {
  it('changes one cell, and nothing else in the file', async () => {
    const { context, stored, journal } = await open()
    await runTool(tool(notebookEdit), { path: 'a.ipynb', cell: 2, new_source: 'x = 2\nprint(x)' }, context)
    expect(await stored()).toBe(text.replace('x = 1', 'x = 2'))
    expect(journal.recorded).toHaveLength(1)
  })

  it('inserts, deletes and changes the type', async () => {
    const { context, stored } = await open()
    await runTool(tool(notebookEdit), { path: 'a.ipynb', cell: 4, action: 'insert', new_source: 'z' }, context)
    expect(JSON.parse(await stored()).cells[3]).toEqual({
      cell_type: 'code',
      execution_count: null,
      metadata: {},
      outputs: [],
      source: ['z'],
    })
    await runTool(tool(notebookEdit), { path: 'a.ipynb', cell: 4, action: 'delete' }, context)
    expect(await stored()).toBe(text)
    await runTool(tool(notebookEdit), { path: 'a.ipynb', cell: 3, new_source: 'text', type: 'markdown' }, context)
    expect(JSON.parse(await stored()).cells[2]).toEqual({ cell_type: 'markdown', source: 'text', metadata: {} })
  })

  it('changes no other cell than the one that was shown', async () => {
    const { context, root, stored } = await open()
    const edit = tool(notebookEdit)
    for (const action of ['replace', 'delete', 'insert']) {
      await writeFile(path.join(root, 'a.ipynb'), text)
      const args = edit.schema.parse({ path: 'a.ipynb', cell: 3, action, new_source: 'z' })
      await edit.preview?.(args, context)
      const moved = text.replace(
        '    {"cell_type": "code", "source": ["x',
        '    {"cell_type": "raw", "source": "r", "metadata": {}},\n$&',
      )
      await writeFile(path.join(root, 'a.ipynb'), moved)
      await expect(edit.run(args, context)).rejects.toMatchObject({ code: 'conflict' })
      expect(await stored()).toBe(moved)
    }
  })

  it('edits the unsaved text of a tab', async () => {
    const editor = fakeEditor()
    editor.tabs.set('a.ipynb', { text: text.replace('x = 1', 'x = 5'), dirty: true })
    const { context, stored } = await open()
    const result = await runTool(
      tool(notebookEdit),
      { path: 'a.ipynb', cell: 3, new_source: 'y + 1' },
      { ...context, ...(await testContext(context.workspace.root, { editor, journal: recordingJournal() })) },
    )
    expect(result.text).toContain('Replaced cell 3')
    expect(editor.tabs.get('a.ipynb')?.text).toContain('"y + 1"')
    expect(await stored()).toBe(text)
  })
})

describe('notebook_run', () => {
  it('shows the code to the approval rules', async () => {
    const { context } = await open()
    const line = await tool(notebookRun).commandLine?.({ path: 'a.ipynb', cells: [2, 3], timeout: 60 }, context)
    expect(line).toEqual({
      command: "jupyter-kernel python3 a.ipynb 'x = 1\nprint(x)' && jupyter-kernel python3 a.ipynb y",
      cwd: '.',
      isCode: true,
      sandbox: { sandboxed: true, network: false },
    })
  })

  it('shows the kernel and shell commands to the approval rules', () => {
    const line = (source: string, kernel = 'python3') => cellCommand({ kernel, file: 'a.ipynb', sources: [source] })
    expect(line('x = 1\n  !rm -rf data')).toMatch(/ && bash -c 'rm -rf data'$/)
    expect(line('files = !curl example.com')).toMatch(/ && bash -c 'curl example.com'$/)
    expect(line('%%bash\nls\npwd')).toMatch(/ && bash -c 'ls\npwd'$/)
    expect(line('%sx pwd')).toMatch(/ && bash -c ' pwd'$/)
    expect(line('a != b\nc %= 2')).not.toContain('bash')
    expect(line('ls', 'bash')).toBe('jupyter-kernel bash a.ipynb ls && bash -c ls')
  })

  it('runs nothing else than what was approved', async () => {
    const codes: string[] = []
    const { context, root } = await open(async ({ code }) => {
      codes.push(code)
      return { outputs: [], executionCount: 1, outcome: 'ok', durationMs: 1, code: '' }
    })
    const asked: ApprovalRequest[] = []
    const gate = createGate({
      examine: testExaminer({
        rules: () => [{ decision: 'allow', match: 'prefix', pattern: 'jupyter-kernel', folder: null }],
      }),
      onRequested: (request) => {
        asked.push(request)
        void writeFile(path.join(root, 'a.ipynb'), text.replace('"y"', '"import os"')).then(() =>
          gate.decide(request.id, { kind: 'once' }),
        )
      },
      onResolved: () => undefined,
    })
    const executor = createExecutor({
      gate,
      registry: createToolRegistry([{ ...bladeToolset, tools: notebookTools }]),
      services: () => context,
      fullTexts: { save: () => undefined, load: () => undefined },
    })
    const call = () =>
      executor.call({
        callId: 'c',
        name: 'notebook_run',
        arguments: { path: 'a.ipynb', cells: [3] },
        toolset: 'blade',
        mode: 'safe',
        attended: true,
        signal: new AbortController().signal,
      })
    expect(await call()).toMatchObject({ ok: false, error: { code: 'conflict' } })
    expect(codes).toEqual([])
    expect(await call()).toMatchObject({ ok: true })
    expect(codes).toEqual(['import os'])
    // The rule for the program covers no code.
    expect(asked).toMatchObject([
      { grantable: { exact: true, prefix: false } },
      { command: expect.stringContaining('import os') },
    ])
  })

  it('stores outputs, and stops at a cell that fails', async () => {
    const { context, stored } = await open(async ({ code }) => ({
      outputs: [{ output_type: 'stream', name: 'stdout', text: `ran ${code.length}\n` }],
      executionCount: 7,
      outcome: code === 'y' ? 'error' : 'ok',
      durationMs: 5,
      code: '',
    }))
    const result = await runTool(tool(notebookRun), { path: 'a.ipynb', cells: [2, 3, 2] }, context)
    expect(result.text).toBe('--- Cell 2: done\nran 14\n\n--- Cell 3: failed\nran 1\n\n1 further cell did not run.')
    expect(JSON.parse(await stored()).cells[2]).toMatchObject({
      execution_count: 7,
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['ran 1\n'] }],
    })
  })

  it('leaves the outputs of a cell that did not start', async () => {
    const { context, stored } = await open(async () => ({
      outputs: [],
      executionCount: null,
      outcome: 'aborted',
      durationMs: 0,
      code: '',
    }))
    const result = await runTool(tool(notebookRun), { path: 'a.ipynb', cells: [2, 3] }, context)
    expect(result.text).toBe('--- Cell 2: did not start, so it keeps its outputs\n\n1 further cell did not run.')
    expect(await stored()).toBe(text)
  })

  it('bounds outputs, and refuses cells without code', async () => {
    const { context } = await open(async () => ({
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'x'.repeat(100_000) }],
      executionCount: 1,
      outcome: 'ok',
      durationMs: 5,
      code: '',
    }))
    const result = await runTool(tool(notebookRun), { path: 'a.ipynb', cells: [2] }, context)
    expect(result.text.length).toBeLessThan(2200)
    await expect(runTool(tool(notebookRun), { path: 'a.ipynb', cells: [1] }, context)).rejects.toMatchObject({
      message: 'Cell 1 is markdown, not code.',
    })
  })

  it('interrupts a cell after the time limit', async () => {
    const { context } = await open(async ({ signal, onStart }) => {
      onStart?.()
      const { promise, resolve } = Promise.withResolvers<CellResult>()
      signal?.addEventListener('abort', () =>
        resolve({ outputs: [], executionCount: 1, outcome: 'aborted', durationMs: 1000, code: '' }),
      )
      return promise
    })
    const result = await runTool(tool(notebookRun), { path: 'a.ipynb', cells: [2], timeout: 1 }, context)
    expect(result.text).toBe('--- Cell 2: was interrupted\n(no output)')
  })

  it('reports outputs that were not stored, because the cell changed while it ran', async () => {
    const { context, root, stored } = await open(async () => {
      await writeFile(path.join(root, 'a.ipynb'), text.replace('"y"', '"z"'))
      return { outputs: [], executionCount: 9, outcome: 'ok', durationMs: 1, code: 'y' }
    })
    const result = await runTool(tool(notebookRun), { path: 'a.ipynb', cells: [3] }, context)
    expect(result.text).toContain('Its outputs were not stored, because the cell changed while it ran.')
    expect(await stored()).not.toContain('"execution_count": 9')
  })

  it('runs in the real kernel', { timeout: 90_000 }, async (test) => {
    const { root, kernels } = await folderWithJupyter(test, { 'a.ipynb': text })
    const context = await testContext(root, { notebooks: kernels, journal: recordingJournal() })
    const result = await runTool(tool(notebookRun), { path: 'a.ipynb', cells: [2, 3] }, context)
    expect(result.text).toContain('--- Cell 2: done\n1')
    expect(result.text).toContain("NameError: name 'y' is not defined")
    expect(JSON.parse(await readFile(path.join(root, 'a.ipynb'), 'utf8')).cells[1]).toMatchObject({
      execution_count: 1,
      outputs: [{ text: ['1\n'] }],
    })
  })
})
