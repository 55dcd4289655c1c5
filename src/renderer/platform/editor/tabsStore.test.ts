import { beforeEach, describe, expect, it } from 'vitest'
import { emptyTabs, fileTab, pageTab, previewTab, withMovedPaths, type DiffTab } from './tabsState.ts'
import {
  activePath,
  focusGroup,
  keepTab,
  lastUsedFile,
  moveTab,
  moveToGroup,
  moveToNewGroup,
  listOpenDiffs,
  listOpenPaths,
  removeTab,
  renameTabs,
  visibleFile,
  setPinned,
  showTab,
  showToSide,
  splitEditor,
  stepTab,
  updateDiff,
  useTabs,
} from './tabsStore.ts'
import { groupsIn } from './groupLayout.ts'

const shown = () =>
  useTabs
    .getState()
    .groups.map((group) => group.tabs.map((tab) => (tab.id === group.active ? `[${tab.id}]` : tab.id)).join(' '))

beforeEach(() => useTabs.setState(emptyTabs, true))

describe('a preview tab', () => {
  const preview = () => useTabs.getState().groups[0]?.preview ?? null

  it('is replaced in its place by the next preview', () => {
    showTab(fileTab('a'))
    showTab(fileTab('b'), undefined, { preview: true })
    showTab(fileTab('a'))
    showTab(fileTab('c'), undefined, { preview: true })
    expect(shown()).toEqual(['file:a [file:c]'])
    expect(preview()).toBe('file:c')
    expect(useTabs.getState().closed).toEqual([])
  })

  it('stays beside the next preview when it was kept or opened again as a normal tab', () => {
    showTab(fileTab('a'), undefined, { preview: true })
    keepTab('file:a')
    showTab(fileTab('b'), undefined, { preview: true })
    showTab(fileTab('b'), undefined, { preview: false })
    showTab(fileTab('c'), undefined, { preview: true })
    expect(shown()).toEqual(['file:a file:b [file:c]'])
  })

  it('stays a preview when it is activated or opened as a preview again', () => {
    showTab(fileTab('a'), undefined, { preview: true })
    showTab(fileTab('a'))
    showTab(fileTab('a'), undefined, { preview: true })
    expect(preview()).toBe('file:a')
  })

  it('does not make an open tab a preview', () => {
    showTab(fileTab('a'))
    showTab(fileTab('a'), undefined, { preview: true })
    expect(preview()).toBe(null)
  })

  it('keeps its place in the group, and follows a rename', () => {
    showTab(fileTab('a'), undefined, { preview: true })
    showTab(fileTab('b'))
    renameTabs('a', 'z')
    expect(preview()).toBe('file:z')
    moveTab(1, 'file:z', 1)
    expect(preview()).toBe(null)
  })

  it('is not a preview any more after it was closed', () => {
    showTab(fileTab('a'), undefined, { preview: true })
    removeTab(1, 'file:a')
    showTab(fileTab('a'))
    expect(preview()).toBe(null)
  })
})

describe('tabs', () => {
  it('open once, to the right of the active one', () => {
    showTab(fileTab('a'))
    showTab(fileTab('b'))
    showTab(fileTab('a'))
    showTab(fileTab('c'))
    expect(shown()).toEqual(['file:a [file:c] file:b'])
  })

  it('activate the previously used tab when closed', () => {
    for (const path of ['a', 'b', 'c', 'd']) showTab(fileTab(path))
    showTab(fileTab('a'))
    showTab(fileTab('c'))
    removeTab(1, 'file:c')
    expect(shown()).toEqual(['[file:a] file:b file:d'])
    removeTab(1, 'file:a')
    expect(shown()).toEqual(['file:b [file:d]'])
  })

  it('activate the tab to the right, else to the left, if no other tab was used', () => {
    const tabs = ['a', 'b', 'c'].map(fileTab)
    useTabs.setState({ ...emptyTabs, groups: [{ id: 1, tabs, active: 'file:b' }] })
    removeTab(1, 'file:b')
    expect(shown()).toEqual(['file:a [file:c]'])
    useTabs.setState({ ...emptyTabs, groups: [{ id: 1, tabs, active: 'file:c' }] })
    removeTab(1, 'file:c')
    expect(shown()).toEqual(['file:a [file:b]'])
  })

  it('record closed files, the last one last', () => {
    for (const path of ['a', 'b', 'c']) showTab(fileTab(path))
    showTab(fileTab('b'))
    removeTab(1, 'file:b')
    expect(shown()).toEqual(['file:a [file:c]'])
    removeTab(1, 'file:c')
    expect(shown()).toEqual(['[file:a]'])
    removeTab(1, 'file:a')
    expect(useTabs.getState()).toMatchObject({ groups: [{ tabs: [], active: null }], closed: ['b', 'c', 'a'] })
  })

  it('split into a second group, which closes with its last tab', () => {
    showTab(fileTab('a'))
    splitEditor('right')
    expect(shown()).toEqual(['[file:a]', '[file:a]'])
    expect(useTabs.getState().activeGroup).toBe(2)
    removeTab(2, 'file:a')
    expect(shown()).toEqual(['[file:a]'])
    expect(useTabs.getState().activeGroup).toBe(1)
  })

  it('split on, right and down, and leave the arrangement of the others when a group closes', () => {
    showTab(fileTab('a'))
    splitEditor('right')
    splitEditor('down')
    expect(useTabs.getState()).toMatchObject({
      layout: { orientation: 'horizontal', children: [1, { orientation: 'vertical', children: [2, 3] }] },
      activeGroup: 3,
    })
    focusGroup(1)
    splitEditor('right')
    expect(useTabs.getState().groups.map(({ id }) => id)).toEqual([1, 4, 2, 3])
    removeTab(2, 'file:a')
    expect(useTabs.getState().layout).toEqual({ orientation: 'horizontal', children: [1, 4, 3] })
    for (const id of [1, 4, 3]) removeTab(id, 'file:a')
    expect(useTabs.getState()).toMatchObject({ groups: [{ tabs: [] }] })
    expect(groupsIn(useTabs.getState().layout)).toEqual(useTabs.getState().groups.map(({ id }) => id))
  })

  it('move to the next group, and to a new one after the last', () => {
    for (const path of ['a', 'b']) showTab(fileTab(path))
    moveToGroup(1)
    expect(shown()).toEqual(['[file:a]', '[file:b]'])
    moveToGroup(1)
    expect(shown()).toEqual(['[file:a]', '[file:b]'])
    moveToGroup(-1)
    expect(shown()).toEqual(['file:a [file:b]'])
    expect(useTabs.getState().closed).toEqual([])
  })

  it('stay first while they are pinned', () => {
    for (const path of ['a', 'b', 'c']) showTab(fileTab(path))
    showTab(fileTab('d'), undefined, { preview: true })
    setPinned(1, 'file:c', true)
    setPinned(1, 'file:d', true)
    expect(shown()).toEqual(['file:c [file:d] file:a file:b'])
    expect(useTabs.getState().groups[0]).toMatchObject({ preview: null, pinned: ['file:c', 'file:d'] })
    showTab(fileTab('c'))
    showTab(fileTab('e'))
    expect(shown()).toEqual(['file:c file:d [file:e] file:a file:b'])
    moveTab(1, 'file:b', 1, 'file:c')
    moveTab(1, 'file:c', 1)
    expect(shown()).toEqual(['file:d [file:c] file:b file:e file:a'])
    renameTabs('d', 'f')
    expect(useTabs.getState().groups[0]?.pinned).toEqual(['file:c', 'file:f'])
    setPinned(1, 'file:f', false)
    expect(shown()).toEqual(['[file:c] file:f file:b file:e file:a'])
    removeTab(1, 'file:c')
    expect(useTabs.getState().groups[0]?.pinned).toEqual([])
  })

  it('open a file in the active group, although another group shows it', () => {
    showTab(fileTab('a'))
    splitEditor('right')
    showTab(fileTab('b'))
    focusGroup(1)
    showTab(fileTab('b'), undefined, { preview: true })
    expect(shown()).toEqual(['file:a [file:b]', 'file:a [file:b]'])
    expect(useTabs.getState()).toMatchObject({ activeGroup: 1, groups: [{ preview: 'file:b' }, {}] })
  })

  it('show a file where it is open for Back and Forward, and a page too', () => {
    showTab(fileTab('a'))
    splitEditor('right')
    showTab(fileTab('b'))
    showTab(pageTab('settings'))
    focusGroup(1)
    showTab(fileTab('b'), undefined, { reveal: true })
    expect(useTabs.getState().activeGroup).toBe(2)
    focusGroup(1)
    showTab(pageTab('settings'))
    expect(shown()).toEqual(['[file:a]', 'file:a file:b [page:settings]'])
  })

  it('move to a new group at any edge of a group', () => {
    for (const path of ['a', 'b', 'c']) showTab(fileTab(path))
    moveToNewGroup(1, 'file:b', 1, 'left', false)
    expect(shown()).toEqual(['[file:b]', 'file:a [file:c]'])
    expect(useTabs.getState()).toMatchObject({ activeGroup: 2, closed: [] })
    moveToNewGroup(1, 'file:a', 2, 'down', true)
    expect(shown()).toEqual(['[file:b]', '[file:a]', 'file:a [file:c]'])
    // The only tab of a group would leave nothing to be beside.
    moveToNewGroup(2, 'file:b', 2, 'right', false)
    expect(shown()).toEqual(['[file:b]', '[file:a]', 'file:a [file:c]'])
    moveToNewGroup(2, 'file:b', 1, 'right', false)
    expect(shown()).toEqual(['[file:a]', 'file:a [file:c]', '[file:b]'])
  })

  it('open to the side: in the group on the right, or in a new one', () => {
    showToSide(fileTab('a'))
    expect(shown()).toEqual(['[file:a]'])
    showToSide(fileTab('a'))
    expect(shown()).toEqual(['[file:a]', '[file:a]'])
    expect(useTabs.getState().activeGroup).toBe(2)
    focusGroup(1)
    showToSide(fileTab('b'))
    expect(shown()).toEqual(['[file:a]', 'file:a [file:b]'])
    showToSide(fileTab('c'))
    expect(shown()).toEqual(['[file:a]', 'file:a [file:b]', '[file:c]'])
  })

  it('show a file in the focused group when it is open in both', () => {
    showTab(fileTab('a'))
    splitEditor('right')
    showTab(fileTab('b'))
    showTab(fileTab('a'))
    expect(shown()).toEqual(['[file:a]', '[file:a] file:b'])
  })

  it('move within a group and to the other one', () => {
    for (const path of ['a', 'b']) showTab(fileTab(path))
    splitEditor('right')
    moveTab(1, 'file:a', 2, 'file:b')
    expect(shown()).toEqual(['[file:b]', '[file:a] file:b'])
    moveTab(2, 'file:a', 2)
    expect(shown()[1]).toBe('file:b [file:a]')
  })

  it('cycle through the group', () => {
    for (const path of ['a', 'b']) showTab(fileTab(path))
    stepTab(1)
    expect(activePath()).toBe('a')
    stepTab(-1)
    expect(activePath()).toBe('b')
  })

  it('are renamed with their file', () => {
    showTab(fileTab('a'))
    renameTabs('a', 'dir/b')
    expect(shown()).toEqual(['[file:dir/b]'])
  })

  it('are joined with a tab that has the new path', () => {
    showTab(fileTab('b'))
    showTab(previewTab('a', 'markdown'))
    showTab(fileTab('a'), undefined, { preview: true })
    renameTabs('a', 'b')
    expect(shown()).toEqual(['[file:b] preview:markdown:b'])
    expect(useTabs.getState().groups[0]).toMatchObject({ preview: null, used: ['preview:markdown:b', 'file:b'] })
  })

  it('with pages are not open files', () => {
    showTab(fileTab('a'))
    showTab(pageTab('settings'))
    expect(listOpenPaths()).toEqual(['a'])
    expect(activePath()).toBeNull()
  })

  it('with files are found beside a page and behind one', () => {
    showTab(fileTab('a'))
    showTab(fileTab('b'))
    expect(visibleFile()).toEqual({ groupId: 1, path: 'b' })
    showTab(pageTab('settings'))
    expect(visibleFile()).toBeNull()
    expect(lastUsedFile()).toEqual({ groupId: 1, path: 'b' })
    splitEditor('right')
    showTab(fileTab('a'), 1)
    focusGroup(2)
    expect(activePath()).toBeNull()
    expect(visibleFile()).toEqual({ groupId: 1, path: 'a' })
  })

  it('can be reopened after they were closed', () => {
    showTab(fileTab('a'))
    removeTab(1, 'file:a')
    expect(useTabs.getState().closed).toEqual(['a'])
    showTab(fileTab('a'))
    expect(useTabs.getState().closed).toEqual([])
  })
})

it('a diff is replaced in place, without becoming the active tab', () => {
  const diff: DiffTab = {
    kind: 'diff',
    id: 'diff:a',
    path: 'a.ts',
    title: 'a.ts (index)',
    original: 'one',
    modified: 'two',
    source: { feature: 'git', detail: null },
  }
  showTab(diff)
  showTab(fileTab('b.ts'))
  updateDiff({ ...diff, modified: 'three' })
  expect(listOpenDiffs('git').map(({ modified }) => modified)).toEqual(['three'])
  expect(listOpenDiffs('review')).toEqual([])
  expect(activePath()).toBe('b.ts')
})

it('tabs get the paths of a workspace, and those of a folder that is no longer in it close', () => {
  const [page, user, untitled] = [pageTab('settings'), previewTab('keys', 'userFile'), fileTab('untitled:Untitled-1')]
  const tabs = [fileTab('a.ts'), previewTab('b.md', 'markdown'), page, user, untitled, fileTab('gone/c.ts')]
  const group = { id: 1, tabs, active: 'file:gone/c.ts', used: ['file:a.ts', 'file:gone/c.ts'], pinned: ['file:a.ts'] }
  const moved = withMovedPaths({ groups: [group], layout: 1, activeGroup: 1, closed: ['gone/d', 'e'] }, (path) =>
    path.startsWith('gone/') ? null : `api/${path}`,
  )
  expect(moved.groups[0]).toMatchObject({
    tabs: [fileTab('api/a.ts'), previewTab('api/b.md', 'markdown'), page, user, untitled],
    active: 'file:api/a.ts',
    pinned: ['file:api/a.ts'],
  })
  expect(moved.closed).toEqual(['api/e'])
})
