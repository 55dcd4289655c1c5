import { runCommand, shortcutOf } from '../platform/commands.ts'
import { keepTab, showTab, type Group, type Tab } from '../platform/editor/tabsStore.ts'
import { gitMenuItems } from '../platform/git/gitMenuItems.ts'
import { copyPathItems } from '../platform/files/copyPath.ts'
import { revealItems } from '../platform/files/fileManager.ts'
import { attempt } from '../platform/notices.ts'
import type { MenuGroup } from '../ui/index.ts'
import { isOutsideFolder } from './tabTitle.ts'
import { closeAll, closeOthers, closeTab, splitAndFocus } from './editorActions.ts'

/** Builds the context menu of a tab. */
export function tabMenuGroups(group: Group, tab: Tab): MenuGroup[] {
  const path = tab.kind === 'page' || isOutsideFolder(tab) ? null : tab.path
  return [
    {
      items: [
        {
          id: 'close',
          label: 'Close',
          shortcut: shortcutOf('tab.close'),
          run: () => attempt(() => closeTab(group.id, tab.id)),
        },
        {
          id: 'others',
          label: 'Close others',
          disabled: group.tabs.length < 2,
          run: () => attempt(() => closeOthers(group.id, tab.id)),
        },
        { id: 'all', label: 'Close all', run: () => attempt(closeAll) },
      ],
    },
    {
      items:
        group.preview === tab.id
          ? [{ id: 'keep', label: 'Keep open', shortcut: shortcutOf('tab.keep'), run: () => keepTab(tab.id) }]
          : [],
    },
    {
      items:
        path === null
          ? []
          : [
              {
                id: 'chat',
                label: 'Add to chat',
                icon: 'mention',
                run: () => void runCommand('chat.addFile', path),
              },
              ...revealItems(path),
              ...copyPathItems(path),
            ],
    },
    { items: path === null ? [] : gitMenuItems(path) },
    {
      items: [
        {
          id: 'split',
          label: 'Split right',
          icon: 'split-horizontal',
          shortcut: shortcutOf('editor.split'),
          run: () => {
            showTab(tab, group.id)
            attempt(splitAndFocus)
          },
        },
      ],
    },
  ]
}
