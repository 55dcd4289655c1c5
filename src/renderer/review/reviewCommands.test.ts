import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ReviewFile } from '../../shared/review/review.ts'
import { registerEditorService } from '../platform/editor/editorService.ts'
import { emptyTabs, fileTab } from '../platform/editor/tabsState.ts'
import { showTab, useTabs } from '../platform/editor/tabsStore.ts'
import { emptyReview, followReview, noChanges, useReview } from '../platform/review/reviewStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { stepChange } from './reviewCommands.ts'
import { registerChanges } from './visibleChanges.ts'

const file = (path: string, change: Partial<ReviewFile> = {}): ReviewFile => ({
  path,
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 0,
  hunks: 2,
  revision: 1,
  ...change,
})

let main: TestMain
const opened = vi.fn()
const diffs = vi.fn()
let stops: (() => void)[] = []

beforeEach(() => {
  main = testMain()
  main.responses['review.hunks'] = ({ path }) => ({
    ...file(path),
    revision: 1,
    hunkList: [3, 8].map((start) => ({
      id: String(start),
      base: { start, count: 0 },
      current: { start, count: 1 },
      turn: null,
      baseLines: [],
    })),
  })
  opened.mockReset()
  diffs.mockReset()
  stops = [
    registerEditorService({
      openFile: async (path, position) => void opened(path, position?.line),
      openText: () => Promise.resolve(),
      openDiff: (diff) => void diffs(diff.path, diff.modified),
      insertAtCursor: () => {},
      saveFiles: async () => true,
      confirmUnsaved: async () => true,
    }),
  ]
  useTabs.setState(emptyTabs, true)
})
afterEach(() => stops.forEach((stop) => stop()))

function pending(...files: ReviewFile[]): void {
  useReview.setState({ ...emptyReview, pending: { ...noChanges, files } }, true)
}
function show(path: string, step: (direction: 1 | -1) => boolean) {
  showTab(fileTab(path))
  const goToEnd = vi.fn()
  stops.push(
    registerChanges({ path, step, goToEnd, hasFocus: () => true, applyActive: () => true, commentActive: () => true }),
  )
  return goToEnd
}

describe('next and previous change', () => {
  it('stay in a file that has another change', async () => {
    pending(file('a.ts'), file('b.ts'))
    const step = vi.fn(() => true)
    show('a.ts', step)
    await stepChange(1)
    expect(step).toHaveBeenCalledWith(1)
    expect(opened).not.toHaveBeenCalled()
  })

  it('go from the last change of a file to the first of the next, and back to the last of the one before', async () => {
    pending(file('a.ts'), file('b.ts'), file('c.ts'))
    show('b.ts', () => false)
    await stepChange(1)
    expect(opened).toHaveBeenLastCalledWith('c.ts', 3)
    await stepChange(-1)
    expect(opened).toHaveBeenLastCalledWith('a.ts', 8)
  })

  it('start with the first file if no changed file is active', async () => {
    pending(file('a.ts'), file('b.ts'))
    await stepChange(1)
    expect(opened).toHaveBeenLastCalledWith('a.ts', 3)
    await stepChange(-1)
    expect(opened).toHaveBeenLastCalledWith('b.ts', 8)
  })

  it('skip files without lines, and show a deleted file as a diff', async () => {
    main.responses['review.file'] = ({ path }) => ({
      ...file(path, { change: 'deleted' }),
      revision: 1,
      baseText: 'old\n',
      currentText: '',
      hunkList: [],
    })
    pending(file('a.png', { content: 'binary', hunks: 0 }), file('b.ts', { change: 'deleted', hunks: 0 }))
    await stepChange(1)
    expect(diffs).toHaveBeenCalledWith('b.ts', '')
  })

  it('go to a change that main has just reported, although the list does not have it yet', async () => {
    useReview.setState(emptyReview, true)
    main.responses['review.list'] = () => ({ ...noChanges, files: [file('a.ts')] })
    stops.push(followReview())
    main.emit('review.changed', { paths: ['a.ts'] })
    await stepChange(1)
    expect(opened).toHaveBeenLastCalledWith('a.ts', 3)
  })

  it('wrap around within the only file', async () => {
    pending(file('a.ts'))
    const goToEnd = show('a.ts', () => false)
    await stepChange(1)
    expect(goToEnd).toHaveBeenCalledWith(1)
  })
})
