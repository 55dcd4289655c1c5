import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ReviewFileHunks } from '../../../shared/review/review.ts'
import { emptyReview, useReview } from '../../platform/review/reviewStore.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { HunkSource } from './hunkSource.ts'

const file: ReviewFileHunks = {
  path: 'a.ts',
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 0,
  hunks: 1,
  revision: 1,
  hunkList: [],
}

let main: TestMain
let version = 1
const text = { getVersionId: () => version, isDisposed: () => false }
const shown: (ReviewFileHunks | null)[] = []
let source: HunkSource | undefined

beforeEach(() => {
  main = testMain()
  version = 1
  shown.length = 0
  useReview.setState({ ...emptyReview, pending: { ...emptyReview.pending, files: [file] } }, true)
})
afterEach(() => source?.stop())

const follow = () => {
  source = new HunkSource(text, { kind: 'pending' }, 'a.ts', (each) => shown.push(each))
  return source
}
const asked = () => main.requests.filter(({ method }) => method === 'review.hunks')

describe('the hunks of an open file', () => {
  it('are not requested for a file without changes', () => {
    useReview.setState(emptyReview, true)
    follow()
    expect(asked()).toEqual([])
  })

  it('are dropped if the text changed while main answered, and requested again', async () => {
    let answers = 0
    main.responses['review.hunks'] = () => {
      answers += 1
      if (answers === 1) version = 2
      return { ...file, revision: answers }
    }
    follow()
    await vi.waitFor(() => expect(shown.map((each) => each?.revision)).toEqual([2]))
  })

  it('are removed when the last change of the file is kept', async () => {
    main.responses['review.hunks'] = () => file
    follow()
    await vi.waitFor(() => expect(shown).toEqual([file]))
    main.responses['review.hunks'] = () => {
      throw Object.assign(new Error('no changes'), { code: 'not_found' })
    }
    main.emit('review.changed', { paths: ['a.ts'] })
    await vi.waitFor(() => expect(asked()).toHaveLength(2))
  })

  it('are requested once for several changes in a row, and not for other files', async () => {
    main.responses['review.hunks'] = () => file
    follow()
    await vi.waitFor(() => expect(shown).toHaveLength(1))
    main.emit('review.changed', { paths: ['b.ts'] })
    main.emit('review.changed', { paths: ['a.ts'] })
    main.emit('review.changed', { paths: null })
    await vi.waitFor(() => expect(shown).toHaveLength(2))
    expect(asked()).toHaveLength(2)
  })
})
