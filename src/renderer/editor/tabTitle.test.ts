import { expect, it } from 'vitest'
import { fileTab } from '../platform/editor/tabsState.ts'
import { distinguishingFolder } from './tabTitle.ts'

it.each([
  [['src/a.ts', 'src/b.ts'], null],
  [['src/a.ts', 'test/a.ts'], 'src'],
  [['api/src/a.ts', 'web/src/a.ts'], 'api/src'],
  [['api/x/y/src/a.ts', 'web/x/y/src/a.ts'], 'api/…/src'],
  [['src/a.ts', 'api/src/a.ts'], 'src'],
  [['a.ts', 'src/a.ts'], null],
])('of the tabs %j, the first one shows the folder %j', (paths, folder) => {
  const tabs = paths.map(fileTab)
  expect(distinguishingFolder(tabs[0] ?? fileTab(''), tabs)).toBe(folder)
})
