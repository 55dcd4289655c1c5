import { beforeEach, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { useConfirm } from '../platform/confirm.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useFileClipboard } from './fileClipboard.ts'
import { forgetSteps, undoLastStep } from './undoSteps.ts'
import { moveInto, paste, rename } from './transfers.ts'

let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['files.list'] = () => []
  main.responses['files.trash'] = () => ({ trashed: true })
  // Only the fields that are read.
  useApp.setState({ state: { platform: 'linux', hostFeatures: { trash: true, revealFile: true } } as AppState })
  useConfirm.setState({ pending: null })
  clearNotices()
  forgetSteps()
})

const done = () =>
  main.requests
    .filter(({ method }) => method.startsWith('files.') && method !== 'files.list')
    .map(({ method, params }) => ({ method, ...(params as object) }))

it('several entries move after a question, and are undone as one step', async () => {
  const moving = moveInto(['a', 'b', 'docs', 'docs/c'], 'docs')
  await expect.poll(() => useConfirm.getState().pending?.request.title).toBe('Move 2 items to docs?')
  useConfirm.getState().pending?.answer('move')
  await moving
  undoLastStep()
  await expect.poll(() => done().length).toBe(4)
  expect(done()).toEqual([
    { method: 'files.move', from: 'a', to: 'docs/a' },
    { method: 'files.move', from: 'b', to: 'docs/b' },
    { method: 'files.move', from: 'docs/b', to: 'b' },
    { method: 'files.move', from: 'docs/a', to: 'a' },
  ])
})

it('Cancel moves nothing', async () => {
  const moving = moveInto(['a', 'b'], 'docs')
  await expect.poll(() => useConfirm.getState().pending).not.toBeNull()
  useConfirm.getState().pending?.answer(null)
  await moving
  expect(done()).toEqual([])
})

it('copies are pasted again and again, and undoing moves them to the trash', async () => {
  useFileClipboard.setState({ paths: ['a', 'b'], cut: false })
  await paste('docs')
  expect(useNotices.getState().notices.at(-1)?.message).toBe('Copied 2 items to docs.')
  undoLastStep()
  await expect
    .poll(() => done().slice(2))
    .toEqual([
      { method: 'files.trash', path: 'docs/a' },
      { method: 'files.trash', path: 'docs/b' },
    ])
  expect(useFileClipboard.getState().paths).toEqual(['a', 'b'])
})

it('what moved before a failure can be undone', async () => {
  useFileClipboard.setState({ paths: ['a', 'b'], cut: true })
  main.responses['files.move'] = ({ from }) => {
    if (from === 'b') throw new Error('The disk is full.')
  }
  await expect(paste('docs')).rejects.toThrow()
  undoLastStep()
  await expect.poll(() => done().at(-1)).toEqual({ method: 'files.move', from: 'docs/a', to: 'a' })
})

it('an undo that failed can be repeated, and moves back only what is left', async () => {
  useFileClipboard.setState({ paths: ['a', 'b'], cut: true })
  await paste('docs')
  main.responses['files.move'] = ({ from }) => {
    if (from === 'docs/a') throw new Error('The file is in use.')
  }
  undoLastStep()
  await expect.poll(() => useNotices.getState().notices.at(-1)?.message).toContain('The file is in use.')
  main.responses['files.move'] = () => undefined
  const before = done().length
  undoLastStep()
  await expect.poll(() => done().slice(before)).toEqual([{ method: 'files.move', from: 'docs/a', to: 'a' }])
})

const undoFromNotice = (message: string) =>
  useNotices
    .getState()
    .notices.find((notice) => notice.message === message)
    ?.actions?.[0]?.run()

it('undoing a copy after one of the copies was moved leaves none of them', async () => {
  useFileClipboard.setState({ paths: ['a', 'b', 'c'], cut: false })
  await paste('docs')
  await rename('docs/b', 'elsewhere/b2')
  undoFromNotice('Copied 3 items to docs.')
  await expect
    .poll(() => done().slice(4))
    .toEqual([
      { method: 'files.trash', path: 'docs/a' },
      { method: 'files.trash', path: 'elsewhere/b2' },
      { method: 'files.trash', path: 'docs/c' },
    ])
  // The move has nothing left to undo.
  undoLastStep()
  undoFromNotice('Moved b to elsewhere.')
  await moveInto(['x'], 'docs')
  expect(done().at(-1)).toEqual({ method: 'files.move', from: 'x', to: 'docs/x' })
})

it('undoing the move first and then the copy removes the copies where they were', async () => {
  useFileClipboard.setState({ paths: ['a', 'b'], cut: false })
  await paste('docs')
  await moveInto(['docs'], 'elsewhere')
  undoLastStep()
  undoLastStep()
  await expect
    .poll(() => done().slice(3))
    .toEqual([
      { method: 'files.move', from: 'elsewhere/docs', to: 'docs' },
      { method: 'files.trash', path: 'docs/a' },
      { method: 'files.trash', path: 'docs/b' },
    ])
})

it('a copy that cannot be removed does not keep the others, and can be removed later', async () => {
  useFileClipboard.setState({ paths: ['a', 'b', 'c'], cut: false })
  await paste('docs')
  main.responses['files.trash'] = ({ path }) => {
    if (path === 'docs/a') throw new ToolError('not_found', 'It does not exist.')
    if (path === 'docs/b') throw new Error('The file is in use.')
    return { trashed: true }
  }
  undoLastStep()
  await expect.poll(() => done().length).toBe(6)
  main.responses['files.trash'] = () => ({ trashed: true })
  undoLastStep()
  await expect.poll(() => done().slice(6)).toEqual([{ method: 'files.trash', path: 'docs/b' }])
})
