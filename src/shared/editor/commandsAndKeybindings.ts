/**
 * A command of the window. The palette, the keybindings and the menus are built from these rows. The feature that owns
 * a command registers its handler (src/renderer/platform/commands.ts).
 *
 * Keys: `Mod` is Cmd on macOS and Ctrl elsewhere. Browsers reserve Ctrl+W, N, T and Tab (also with Shift) and
 * Ctrl+PageUp/PageDown, so commands with these keys have other ones in the browser host. A space separates the two
 * presses of a chord (`Mod+K Mod+S`).
 */
export interface CommandRow {
  id: string
  title: string
  category: 'File' | 'Edit' | 'View' | 'Go' | 'Chat' | 'Git' | 'Terminal' | 'Help'
  /** Keys in all hosts. */
  keys?: readonly string[]
  electronKeys?: readonly string[]
  browserKeys?: readonly string[]
  /** Available only while this condition holds. */
  when?: CommandCondition
  /** Group within the category's menu. Absent if the menu does not show the command. */
  menuGroup?: number
  /** What other editors call it, for the palette. */
  otherNames?: string
  /** Not in the palette, because the command needs an argument. */
  hidden?: boolean
}

/**
 * `workspace`: a folder is open. `tab`: a tab is active. `file`: the active tab is a text file. `dirty`: the active tab
 * is a text file with unsaved changes. `closedTab`: a closed tab can be reopened. `changes`: changes of the agent are
 * pending. `repository`: the open folder has a repository. `document`: the active tab shows the current text of a file,
 * also in a diff. `desktop`: the host is the desktop application.
 */
export type CommandCondition =
  | 'workspace'
  | 'noWorkspace'
  | 'tab'
  | 'file'
  | 'dirty'
  | 'closedTab'
  | 'changes'
  | 'repository'
  | 'document'
  | 'desktop'

export const commandTable = [
  {
    id: 'file.new',
    title: 'New file…',
    category: 'File',
    electronKeys: ['Mod+N'],
    browserKeys: ['Alt+N'],
    when: 'workspace',
    menuGroup: 1,
  },
  { id: 'file.newFolder', title: 'New folder…', category: 'File', when: 'workspace', menuGroup: 1 },
  {
    id: 'workspace.open',
    title: 'Open folder…',
    otherNames: 'Open recent',
    category: 'File',
    keys: ['Mod+O'],
    menuGroup: 2,
  },
  {
    id: 'window.new',
    title: 'New window',
    category: 'File',
    electronKeys: ['Mod+Shift+N'],
    when: 'desktop',
    menuGroup: 2,
  },
  {
    id: 'workspace.openInNewWindow',
    title: 'Open folder in new window…',
    category: 'File',
    when: 'desktop',
    menuGroup: 2,
  },
  /** Argument: the folder's path. */
  { id: 'workspace.openRecent', title: 'Open recent folder', category: 'File', hidden: true },
  { id: 'workspace.close', title: 'Close folder', category: 'File', when: 'workspace', menuGroup: 2 },
  {
    id: 'trust.manage',
    title: 'Manage folder trust',
    otherNames: 'Workspace trust',
    category: 'File',
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'file.save', title: 'Save', category: 'File', keys: ['Mod+S'], when: 'document', menuGroup: 3 },
  { id: 'file.saveAll', title: 'Save all', category: 'File', keys: ['Mod+Alt+S'], when: 'workspace', menuGroup: 3 },
  { id: 'file.revert', title: 'Revert file', category: 'File', when: 'file', menuGroup: 3 },
  {
    id: 'file.copyPath',
    title: 'Copy path of active file',
    category: 'File',
    keys: ['Alt+Shift+C'],
    when: 'file',
  },
  { id: 'file.copyRelativePath', title: 'Copy relative path of active file', category: 'File', when: 'file' },
  { id: 'file.compareSaved', title: 'Compare with saved', category: 'File', when: 'dirty', menuGroup: 3 },
  {
    id: 'settings.open',
    title: 'Open settings',
    otherNames: 'Preferences',
    category: 'File',
    keys: ['Mod+,'],
    menuGroup: 4,
  },
  {
    id: 'settings.openJson',
    title: 'Open settings (JSON)',
    otherNames: 'Preferences user settings',
    category: 'File',
    menuGroup: 4,
  },
  {
    id: 'settings.openFolder',
    title: 'Open settings of folder (JSON)',
    otherNames: 'Preferences workspace settings',
    category: 'File',
    when: 'workspace',
    menuGroup: 4,
  },
  { id: 'keybindings.openJson', title: 'Open keyboard shortcuts (JSON)', category: 'File', menuGroup: 4 },
  {
    id: 'snippets.configure',
    title: 'Configure snippets…',
    otherNames: 'User snippets',
    category: 'File',
    menuGroup: 4,
  },
  {
    id: 'tab.close',
    title: 'Close tab',
    otherNames: 'Close editor',
    category: 'File',
    electronKeys: ['Mod+W'],
    browserKeys: ['Alt+W'],
    when: 'tab',
    menuGroup: 5,
  },
  {
    id: 'tab.closeOthers',
    title: 'Close other tabs',
    otherNames: 'Close other editors',
    category: 'File',
    when: 'tab',
    menuGroup: 5,
  },
  {
    id: 'tab.closeAll',
    title: 'Close all tabs',
    otherNames: 'Close all editors',
    category: 'File',
    when: 'tab',
    menuGroup: 5,
  },
  {
    id: 'tab.keep',
    title: 'Keep tab open',
    otherNames: 'Pin editor',
    category: 'File',
    keys: ['Mod+K Enter'],
    when: 'tab',
    menuGroup: 5,
  },
  {
    id: 'tab.reopen',
    title: 'Reopen closed tab',
    otherNames: 'Reopen closed editor',
    category: 'File',
    electronKeys: ['Mod+Shift+T'],
    browserKeys: ['Alt+Shift+T'],
    when: 'closedTab',
    menuGroup: 5,
  },

  { id: 'edit.undo', title: 'Undo', category: 'Edit', when: 'file', menuGroup: 1 },
  { id: 'edit.redo', title: 'Redo', category: 'Edit', when: 'file', menuGroup: 1 },
  { id: 'edit.find', title: 'Find in file', category: 'Edit', when: 'file', menuGroup: 2 },
  { id: 'edit.replace', title: 'Replace in file', category: 'Edit', when: 'file', menuGroup: 2 },
  {
    id: 'search.replace',
    title: 'Replace in files',
    category: 'Edit',
    keys: ['Mod+Shift+H'],
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'inlineEdit.start', title: 'Edit inline…', category: 'Edit', keys: ['Mod+I'], when: 'file', menuGroup: 3 },
  /** Argument: a code block of the chat, `{ code, language }`. */
  { id: 'inlineEdit.apply', title: 'Apply code block', category: 'Edit', hidden: true },
  { id: 'completion.toggle', title: 'Turn inline completion on or off', category: 'Edit', menuGroup: 3 },
  {
    id: 'edit.format',
    title: 'Format document',
    category: 'Edit',
    keys: ['Alt+Shift+F'],
    when: 'file',
    menuGroup: 3,
  },
  { id: 'edit.toggleWordWrap', title: 'Toggle word wrap', category: 'Edit', keys: ['Alt+Z'], menuGroup: 3 },
  {
    id: 'review.keep',
    title: 'Keep change',
    category: 'Edit',
    keys: ['Mod+Alt+Y'],
    when: 'changes',
    menuGroup: 4,
  },
  {
    id: 'review.undo',
    title: 'Undo change',
    category: 'Edit',
    keys: ['Mod+Alt+U'],
    when: 'changes',
    menuGroup: 4,
  },
  {
    id: 'review.comment',
    title: 'Comment on change',
    category: 'Edit',
    keys: ['Mod+Alt+M'],
    when: 'changes',
    menuGroup: 4,
  },
  { id: 'review.keepFile', title: 'Keep all changes in file', category: 'Edit', when: 'changes' },
  { id: 'review.undoFile', title: 'Undo all changes in file', category: 'Edit', when: 'changes' },
  { id: 'review.keepAll', title: 'Keep all changes', category: 'Edit', when: 'changes' },
  { id: 'review.undoAll', title: 'Undo all changes', category: 'Edit', when: 'changes' },
  { id: 'review.keepAllAndCommit', title: 'Keep all changes and commit…', category: 'Edit', when: 'changes' },
  { id: 'review.revert', title: 'Revert last review action', category: 'Edit', when: 'workspace' },
  { id: 'review.redo', title: 'Repeat reverted review action', category: 'Edit', when: 'workspace' },
  {
    id: 'edit.changeEol',
    title: 'Change line endings',
    otherNames: 'End of line sequence',
    category: 'Edit',
    when: 'file',
  },
  { id: 'edit.changeEncoding', title: 'Change file encoding', category: 'Edit', when: 'file' },
  { id: 'edit.reopenWithEncoding', title: 'Reopen with encoding…', category: 'Edit', when: 'file' },
  { id: 'edit.saveWithEncoding', title: 'Save with encoding…', category: 'Edit', when: 'file' },
  { id: 'edit.changeLanguage', title: 'Change language mode', category: 'Edit', when: 'file' },

  { id: 'palette.show', title: 'Command palette', category: 'View', keys: ['Mod+Shift+P', 'F1'], menuGroup: 1 },
  {
    id: 'view.explorer',
    title: 'Show explorer',
    category: 'View',
    keys: ['Mod+Shift+E'],
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'view.outline', title: 'Show outline', category: 'View', keys: ['Mod+Alt+O'], when: 'workspace', menuGroup: 2 },
  {
    id: 'view.search',
    title: 'Search in files',
    category: 'View',
    keys: ['Mod+Shift+F'],
    when: 'workspace',
    menuGroup: 2,
  },
  {
    id: 'view.git',
    title: 'Show source control',
    category: 'View',
    keys: ['Mod+Shift+G'],
    when: 'workspace',
    menuGroup: 2,
  },
  {
    id: 'view.review',
    title: 'Review changes',
    category: 'View',
    keys: ['Mod+Alt+R'],
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'review.openDiff', title: 'Open changes of file side by side', category: 'View', when: 'changes' },
  { id: 'view.toggleDiffSideBySide', title: 'Toggle side-by-side diffs', category: 'View' },
  {
    id: 'problems.show',
    title: 'Show problems',
    category: 'View',
    keys: ['Mod+Shift+M'],
    when: 'workspace',
    menuGroup: 2,
  },
  {
    id: 'view.console',
    title: 'Tool console',
    category: 'View',
    keys: ['Mod+Shift+U'],
    when: 'workspace',
    menuGroup: 2,
  },
  {
    id: 'view.toggleSideBar',
    title: 'Toggle side bar',
    category: 'View',
    keys: ['Mod+B'],
    when: 'workspace',
    menuGroup: 3,
  },
  {
    id: 'view.togglePanel',
    title: 'Toggle bottom panel',
    otherNames: 'Toggle panel',
    category: 'View',
    keys: ['Mod+J'],
    when: 'workspace',
    menuGroup: 3,
  },
  {
    id: 'view.toggleChat',
    title: 'Toggle chat panel',
    category: 'View',
    keys: ['Mod+Alt+B'],
    when: 'workspace',
    menuGroup: 3,
  },
  {
    id: 'editor.split',
    title: 'Split editor right',
    otherNames: 'Split pane',
    category: 'View',
    keys: ['Mod+\\'],
    when: 'tab',
    menuGroup: 4,
  },
  /** Argument: the path of a file; default the active one. */
  {
    id: 'preview.show',
    title: 'Open preview',
    otherNames: 'Markdown preview',
    category: 'View',
    keys: ['Mod+Shift+V'],
    when: 'workspace',
    menuGroup: 4,
  },
  /** Argument: the path of a file; default the active one. */
  {
    id: 'preview.open',
    title: 'Open preview to the side',
    category: 'View',
    keys: ['Mod+K V'],
    when: 'workspace',
    menuGroup: 4,
  },
  /** Argument: the path of a file; default the active one. */
  { id: 'preview.bytes', title: 'Show bytes of file', category: 'View', when: 'workspace', menuGroup: 4 },
  { id: 'explorer.collapseAll', title: 'Collapse all folders', category: 'View', when: 'workspace', menuGroup: 5 },
  { id: 'explorer.reveal', title: 'Reveal active file in explorer', category: 'View', when: 'file', menuGroup: 5 },
  { id: 'explorer.refresh', title: 'Refresh explorer', category: 'View', when: 'workspace', menuGroup: 5 },
  {
    id: 'settings.languageServers',
    title: 'Show language servers',
    otherNames: 'Restart TypeScript server, restart language server',
    category: 'View',
    when: 'workspace',
  },
  {
    id: 'theme.toggle',
    title: 'Toggle between light and dark theme',
    otherNames: 'Color theme',
    category: 'View',
    menuGroup: 6,
  },
  { id: 'theme.system', title: 'Use system theme', category: 'View' },
  { id: 'notices.show', title: 'Show notices', otherNames: 'Notifications', category: 'View', menuGroup: 6 },

  { id: 'palette.files', title: 'Go to file…', category: 'Go', keys: ['Mod+P'], when: 'workspace', menuGroup: 1 },
  { id: 'palette.line', title: 'Go to line…', category: 'Go', keys: ['Ctrl+G'], when: 'file', menuGroup: 1 },
  { id: 'symbols.definition', title: 'Go to definition', category: 'Go', keys: ['F12'], when: 'file', menuGroup: 2 },
  {
    id: 'symbols.peekDefinition',
    title: 'Peek definition',
    category: 'Go',
    keys: ['Alt+F12'],
    when: 'file',
    menuGroup: 2,
  },
  {
    id: 'symbols.references',
    title: 'Go to references',
    otherNames: 'Find all references, usages',
    category: 'Go',
    keys: ['Shift+F12'],
    when: 'file',
    menuGroup: 2,
  },
  {
    id: 'calls.show',
    title: 'Show call hierarchy',
    category: 'Go',
    keys: ['Alt+Shift+H'],
    when: 'file',
    menuGroup: 2,
  },
  {
    id: 'symbols.inFile',
    title: 'Go to symbol in editor…',
    category: 'Go',
    keys: ['Mod+Shift+O'],
    when: 'file',
    menuGroup: 2,
  },
  {
    /** Argument: the name to search for. Without one, the user types it. */
    id: 'symbols.inFolder',
    title: 'Go to symbol in folder…',
    category: 'Go',
    electronKeys: ['Mod+T'],
    browserKeys: ['Alt+T'],
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'travel.back', title: 'Back', category: 'Go', keys: ['Alt+Left'], when: 'workspace', menuGroup: 3 },
  { id: 'travel.forward', title: 'Forward', category: 'Go', keys: ['Alt+Right'], when: 'workspace', menuGroup: 3 },
  {
    id: 'tab.next',
    title: 'Next tab',
    category: 'Go',
    keys: ['Alt+PageDown'],
    electronKeys: ['Ctrl+Tab', 'Ctrl+PageDown'],
    when: 'tab',
    menuGroup: 4,
  },
  {
    id: 'tab.previous',
    title: 'Previous tab',
    category: 'Go',
    keys: ['Alt+PageUp'],
    electronKeys: ['Ctrl+Shift+Tab', 'Ctrl+PageUp'],
    when: 'tab',
    menuGroup: 4,
  },
  { id: 'region.next', title: 'Focus next part of the window', category: 'Go', keys: ['F6'], menuGroup: 5 },
  {
    id: 'region.previous',
    title: 'Focus previous part of the window',
    category: 'Go',
    keys: ['Shift+F6'],
    menuGroup: 5,
  },
  {
    id: 'editor.focusFirst',
    title: 'Focus first editor group',
    category: 'Go',
    keys: ['Mod+1'],
    when: 'tab',
    menuGroup: 5,
  },
  {
    id: 'editor.focusSecond',
    title: 'Focus second editor group',
    category: 'Go',
    keys: ['Mod+2'],
    when: 'tab',
    menuGroup: 5,
  },
  { id: 'editor.focus', title: 'Focus editor', category: 'Go', keys: ['Mod+Alt+E'], when: 'tab', menuGroup: 5 },
  {
    id: 'breadcrumbs.focus',
    title: 'Focus breadcrumbs',
    category: 'Go',
    keys: ['Mod+Shift+.', 'Mod+Shift+;'],
    when: 'file',
    menuGroup: 5,
  },
  { id: 'review.next', title: 'Next change', category: 'Go', keys: ['Alt+F5'], when: 'changes', menuGroup: 6 },
  {
    id: 'review.previous',
    title: 'Previous change',
    category: 'Go',
    keys: ['Alt+Shift+F5'],
    when: 'changes',
    menuGroup: 6,
  },
  { id: 'problems.next', title: 'Next problem', category: 'Go', keys: ['F8'], when: 'workspace', menuGroup: 6 },
  {
    id: 'problems.previous',
    title: 'Previous problem',
    category: 'Go',
    keys: ['Shift+F8'],
    when: 'workspace',
    menuGroup: 6,
  },

  { id: 'chat.focus', title: 'Focus chat', category: 'Chat', keys: ['Mod+L'], when: 'workspace', menuGroup: 1 },
  { id: 'chat.addSelection', title: 'Add selection to chat', category: 'Chat', when: 'file', menuGroup: 1 },
  /** Argument: a path. Default: the active file. */
  { id: 'chat.addFile', title: 'Add file to chat', category: 'Chat', when: 'workspace', menuGroup: 1 },
  /** Argument: text that a program wrote, `{ heading, text }`. */
  { id: 'chat.addText', title: 'Add text to chat', category: 'Chat', hidden: true },
  {
    id: 'approval.focus',
    title: 'Focus pending approval',
    category: 'Chat',
    keys: ['Mod+Shift+Y'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'chat.new',
    title: 'New conversation',
    otherNames: 'New chat, new thread',
    category: 'Chat',
    keys: ['Mod+Alt+N'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'chat.history',
    title: 'Past conversations…',
    otherNames: 'Chat history',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 1,
  },
  { id: 'chat.find', title: 'Find in conversation', category: 'Chat', when: 'workspace', menuGroup: 1 },
  { id: 'chat.exportMarkdown', title: 'Export conversation as Markdown', category: 'Chat', when: 'workspace' },
  { id: 'chat.exportJson', title: 'Export conversation as JSON', category: 'Chat', when: 'workspace' },
  { id: 'chat.import', title: 'Import conversation…', category: 'Chat', when: 'workspace' },
  {
    id: 'chat.stop',
    title: 'Stop the running turn',
    category: 'Chat',
    keys: ['Mod+Alt+Backspace'],
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'chat.retry', title: 'Retry last message', category: 'Chat', when: 'workspace', menuGroup: 2 },
  {
    id: 'chat.compact',
    title: 'Summarize conversation',
    otherNames: 'Compact',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 2,
  },
  {
    id: 'chat.pickModel',
    title: 'Choose model…',
    otherNames: 'Switch model, change model',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 3,
  },
  {
    id: 'chat.pickMode',
    title: 'Choose mode…',
    otherNames: 'Auto approve, permissions',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 3,
  },
  { id: 'chat.pickToolset', title: 'Choose toolset…', category: 'Chat', when: 'workspace', menuGroup: 3 },
  { id: 'chat.pickProfile', title: 'Choose prompt profile…', category: 'Chat', when: 'workspace', menuGroup: 3 },
  /** Argument: the result of the `tour.start` request. */
  { id: 'chat.startTour', title: 'Start the tour in chat', category: 'Chat', hidden: true },

  { id: 'git.commit', title: 'Commit', category: 'Git', when: 'repository' },
  /** Argument: paths of files in the workspace. */
  { id: 'git.prepareCommit', title: 'Stage files and draft a message', category: 'Git', hidden: true },
  { id: 'git.amend', title: 'Amend last commit', category: 'Git', when: 'repository' },
  { id: 'git.stageAll', title: 'Stage all changes', category: 'Git', when: 'repository' },
  { id: 'git.unstageAll', title: 'Unstage all changes', category: 'Git', when: 'repository' },
  { id: 'git.discardAll', title: 'Discard all changes…', category: 'Git', when: 'repository' },
  /** Argument of this and `git.fileHistory`: the path of a file in the workspace; without it, the active file. */
  { id: 'git.openChanges', title: 'Compare active file with HEAD', category: 'Git', when: 'repository' },
  { id: 'git.nextChange', title: 'Show next change since HEAD', category: 'Git', keys: ['Alt+F3'], when: 'file' },
  {
    id: 'git.previousChange',
    title: 'Show previous change since HEAD',
    category: 'Git',
    keys: ['Shift+Alt+F3'],
    when: 'file',
  },
  { id: 'git.stageChange', title: 'Stage change at cursor', category: 'Git', when: 'file' },
  { id: 'git.revertChange', title: 'Revert change at cursor', category: 'Git', when: 'file' },
  { id: 'git.pull', title: 'Pull', category: 'Git', when: 'repository' },
  { id: 'git.push', title: 'Push', category: 'Git', when: 'repository' },
  { id: 'git.pushTags', title: 'Push with tags', category: 'Git', when: 'repository' },
  { id: 'git.forcePush', title: 'Force push…', category: 'Git', when: 'repository' },
  { id: 'git.showLog', title: 'Show log', category: 'Git', when: 'repository' },
  {
    id: 'git.fileHistory',
    title: 'Show history of active file',
    otherNames: 'Timeline',
    category: 'Git',
    when: 'repository',
  },
  { id: 'git.toggleBlame', title: 'Toggle blame of current line', category: 'Git', when: 'repository' },
  { id: 'git.fetch', title: 'Fetch', category: 'Git', when: 'repository' },
  { id: 'git.sync', title: 'Sync', category: 'Git', when: 'repository' },
  { id: 'git.switchBranch', title: 'Switch branch…', category: 'Git', when: 'repository' },
  { id: 'git.createBranch', title: 'Create branch…', category: 'Git', when: 'repository' },
  { id: 'git.renameBranch', title: 'Rename branch…', category: 'Git', when: 'repository' },
  { id: 'git.deleteBranch', title: 'Delete branch…', category: 'Git', when: 'repository' },
  { id: 'git.mergeBranch', title: 'Merge branch…', category: 'Git', when: 'repository' },
  { id: 'git.compareBranch', title: 'Compare with branch…', category: 'Git', when: 'repository' },
  { id: 'git.stash', title: 'Stash all changes…', category: 'Git', when: 'repository' },
  { id: 'git.stashes', title: 'Stashes…', category: 'Git', when: 'repository' },
  { id: 'git.createTag', title: 'Create tag…', category: 'Git', when: 'repository' },
  { id: 'git.deleteTag', title: 'Delete tag…', category: 'Git', when: 'repository' },
  { id: 'git.refresh', title: 'Refresh source control', category: 'Git', when: 'workspace' },
  { id: 'git.clone', title: 'Clone repository…', category: 'Git' },

  {
    id: 'terminal.new',
    title: 'New terminal',
    category: 'Terminal',
    keys: ['Ctrl+Shift+`'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'terminal.toggle',
    title: 'Toggle terminal',
    category: 'Terminal',
    keys: ['Ctrl+`'],
    when: 'workspace',
    menuGroup: 1,
  },
  /** Argument: a command line, which runs in a new terminal. */
  { id: 'terminal.run', title: 'Run in terminal', category: 'Terminal', hidden: true },
  {
    id: 'terminal.split',
    title: 'Split terminal',
    category: 'Terminal',
    keys: ['Ctrl+Shift+5'],
    when: 'workspace',
    menuGroup: 1,
  },
  { id: 'terminal.rename', title: 'Rename terminal…', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.find', title: 'Find in terminal', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.focusNext', title: 'Focus next terminal in split', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.focusPrevious', title: 'Focus previous terminal in split', category: 'Terminal', when: 'workspace' },
  { id: 'terminal.runSelection', title: 'Run selected text in terminal', category: 'Terminal', when: 'file' },
  {
    id: 'terminal.addSelectionToChat',
    title: 'Add terminal selection to chat',
    category: 'Terminal',
    when: 'workspace',
  },
  {
    id: 'terminal.addOutputToChat',
    title: 'Add last terminal output to chat',
    category: 'Terminal',
    when: 'workspace',
  },
  { id: 'tasks.run', title: 'Run task…', category: 'Terminal', when: 'workspace', menuGroup: 2 },
  { id: 'tasks.runLast', title: 'Run last task', category: 'Terminal', when: 'workspace', menuGroup: 2 },
  { id: 'tests.runAtCursor', title: 'Run test at cursor', category: 'Terminal', when: 'file', menuGroup: 2 },
  { id: 'tests.list', title: 'Run test…', category: 'Terminal', when: 'file', menuGroup: 2 },
  {
    id: 'jobs.show',
    title: 'Show jobs and terminals',
    category: 'Terminal',
    when: 'workspace',
    menuGroup: 1,
  },

  { id: 'help.firstSteps', title: 'First steps', category: 'Help', menuGroup: 1 },
  { id: 'help.checkModel', title: 'Check my model', otherNames: 'Benchmark', category: 'Help', menuGroup: 1 },
  { id: 'tour.start', title: 'Take the tour', category: 'Help', menuGroup: 1 },
  { id: 'help.keys', title: 'Keyboard shortcuts', category: 'Help', keys: ['Mod+K Mod+S'], menuGroup: 1 },
  { id: 'help.openLog', title: 'Open log', otherNames: 'Output, developer tools', category: 'Help', menuGroup: 2 },
  { id: 'audit.show', title: 'Show audit log', category: 'Help', menuGroup: 2 },
  { id: 'help.copyDiagnostics', title: 'Copy diagnostics', category: 'Help', menuGroup: 2 },
] as const satisfies readonly CommandRow[]

export type CommandId = (typeof commandTable)[number]['id']

/** `commandTable` with the common row type. */
export const commands: readonly CommandRow[] = commandTable

/** Returns the keys of a command in a host. Menus and tooltips show the first. */
export function keysFor(row: CommandRow, host: 'electron' | 'browser'): string[] {
  const hostKeys = host === 'electron' ? row.electronKeys : row.browserKeys
  return [...(hostKeys ?? []), ...(row.keys ?? [])]
}
