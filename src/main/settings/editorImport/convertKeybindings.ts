import { commands, type CommandId } from '../../../shared/editor/commandsAndKeybindings.ts'
import { readKeys, type UserKeybinding } from '../../../shared/editor/keymap.ts'

/** Commands of VS Code, and those of Tizona that do the same. */
const counterparts: Readonly<Record<string, CommandId>> = {
  'workbench.action.files.newUntitledFile': 'file.newUntitled',
  'explorer.newFile': 'file.new',
  'explorer.newFolder': 'file.newFolder',
  'workbench.action.files.openFile': 'file.open',
  'workbench.action.files.openFolder': 'workspace.open',
  'workbench.action.openRecent': 'workspace.openRecent',
  'workbench.action.closeFolder': 'workspace.close',
  'workbench.action.openWorkspace': 'workspace.openFile',
  'workbench.action.saveWorkspaceAs': 'workspace.saveAs',
  'workbench.action.addRootFolder': 'workspace.addFolder',
  'workbench.action.removeRootFolder': 'workspace.removeFolder',
  'workbench.action.newWindow': 'window.new',
  'workbench.action.files.save': 'file.save',
  'workbench.action.files.saveAs': 'file.saveAs',
  'workbench.action.files.saveAll': 'file.saveAll',
  saveAll: 'file.saveAll',
  'workbench.action.files.revert': 'file.revert',
  'workbench.files.action.compareWithSaved': 'file.compareSaved',
  copyFilePath: 'file.copyPath',
  copyRelativeFilePath: 'file.copyRelativePath',
  'workbench.action.openSettings': 'settings.open',
  'workbench.action.openSettingsJson': 'settings.openJson',
  'workbench.action.openGlobalKeybindings': 'help.keys',
  'workbench.action.openGlobalKeybindingsFile': 'keybindings.openJson',
  'workbench.action.openSnippets': 'snippets.configure',
  'workbench.action.closeActiveEditor': 'tab.close',
  'workbench.action.closeOtherEditors': 'tab.closeOthers',
  'workbench.action.closeAllEditors': 'tab.closeAll',
  'workbench.action.closeEditorsToTheRight': 'tab.closeRight',
  'workbench.action.closeUnmodifiedEditors': 'tab.closeSaved',
  'workbench.action.closeEditorsInGroup': 'tab.closeGroup',
  'workbench.action.reopenClosedEditor': 'tab.reopen',
  'workbench.action.keepEditor': 'tab.keep',
  'workbench.action.pinEditor': 'tab.pin',
  'workbench.action.nextEditor': 'tab.next',
  'workbench.action.previousEditor': 'tab.previous',
  'workbench.action.showEditorsInActiveGroup': 'tab.showAll',
  'workbench.action.showAllEditors': 'tab.showAll',
  'workbench.action.splitEditor': 'editor.split',
  'workbench.action.splitEditorRight': 'editor.split',
  'workbench.action.splitEditorDown': 'editor.splitDown',
  'workbench.action.splitEditorOrthogonal': 'editor.splitDown',
  'workbench.action.moveEditorToNextGroup': 'editor.moveToNextGroup',
  'workbench.action.moveEditorToPreviousGroup': 'editor.moveToPreviousGroup',
  'workbench.action.focusFirstEditorGroup': 'editor.focusFirst',
  'workbench.action.focusSecondEditorGroup': 'editor.focusSecond',
  'workbench.action.focusThirdEditorGroup': 'editor.focusThird',
  'workbench.action.focusLeftGroup': 'editor.focusLeft',
  'workbench.action.focusRightGroup': 'editor.focusRight',
  'workbench.action.focusNextGroup': 'editor.focusNextGroup',
  'workbench.action.focusPreviousGroup': 'editor.focusPreviousGroup',
  'workbench.action.focusActiveEditorGroup': 'editor.focus',
  'workbench.action.showCommands': 'palette.show',
  'workbench.action.quickOpen': 'palette.files',
  'workbench.action.gotoLine': 'palette.line',
  'workbench.action.gotoSymbol': 'symbols.inFile',
  'workbench.action.showAllSymbols': 'symbols.inFolder',
  'workbench.action.navigateBack': 'travel.back',
  'workbench.action.navigateForward': 'travel.forward',
  'workbench.action.focusNextPart': 'region.next',
  'workbench.action.focusPreviousPart': 'region.previous',
  'breadcrumbs.focus': 'breadcrumbs.focus',
  'editor.action.marker.nextInFiles': 'problems.next',
  'editor.action.marker.prevInFiles': 'problems.previous',
  'references-view.showCallHierarchy': 'calls.show',
  'workbench.view.explorer': 'view.explorer',
  'workbench.view.search': 'view.search',
  'workbench.action.findInFiles': 'view.search',
  'workbench.action.replaceInFiles': 'search.replace',
  'workbench.view.scm': 'view.git',
  'workbench.view.debug': 'view.debug',
  'outline.focus': 'view.outline',
  'workbench.actions.view.problems': 'problems.show',
  'workbench.debug.action.toggleRepl': 'view.debugConsole',
  'workbench.action.toggleSidebarVisibility': 'view.toggleSideBar',
  'workbench.action.togglePanel': 'view.togglePanel',
  'workbench.action.toggleAuxiliaryBar': 'view.toggleChat',
  'workbench.action.toggleZenMode': 'view.toggleZenMode',
  'workbench.action.selectTheme': 'theme.choose',
  'workbench.action.selectIconTheme': 'iconTheme.choose',
  'workbench.view.extensions': 'extensions.show',
  'workbench.extensions.action.installVSIX': 'extensions.install',
  'workbench.files.action.collapseExplorerFolders': 'explorer.collapseAll',
  'workbench.files.action.showActiveFileInExplorer': 'explorer.reveal',
  'workbench.files.action.refreshFilesExplorer': 'explorer.refresh',
  'markdown.showPreview': 'preview.show',
  'markdown.showPreviewToSide': 'preview.open',
  'simpleBrowser.show': 'preview.page',
  'editor.action.toggleWordWrap': 'edit.toggleWordWrap',
  'editor.action.formatDocument': 'edit.format',
  'editor.action.organizeImports': 'edit.organizeImports',
  'workbench.action.editor.changeEOL': 'edit.changeEol',
  'workbench.action.editor.changeEncoding': 'edit.changeEncoding',
  'workbench.action.editor.changeLanguageMode': 'edit.changeLanguage',
  'workbench.action.terminal.new': 'terminal.new',
  'workbench.action.terminal.toggleTerminal': 'terminal.toggle',
  'workbench.action.terminal.split': 'terminal.split',
  'workbench.action.terminal.clear': 'terminal.clear',
  'workbench.action.terminal.rename': 'terminal.rename',
  'workbench.action.terminal.focusFind': 'terminal.find',
  'workbench.action.terminal.focusNextPane': 'terminal.focusNext',
  'workbench.action.terminal.focusPreviousPane': 'terminal.focusPrevious',
  'workbench.action.terminal.runSelectedText': 'terminal.runSelection',
  'workbench.action.tasks.runTask': 'tasks.run',
  'workbench.action.tasks.reRunTask': 'tasks.runLast',
  'workbench.action.debug.start': 'debug.start',
  'workbench.action.debug.selectandstart': 'debug.choose',
  'workbench.action.debug.stop': 'debug.stop',
  'workbench.action.debug.restart': 'debug.restart',
  'workbench.action.debug.pause': 'debug.pause',
  'workbench.action.debug.stepOver': 'debug.stepOver',
  'workbench.action.debug.stepInto': 'debug.stepInto',
  'workbench.action.debug.stepOut': 'debug.stepOut',
  'editor.debug.action.toggleBreakpoint': 'debug.toggleBreakpoint',
  'editor.debug.action.conditionalBreakpoint': 'debug.conditionalBreakpoint',
  'workbench.debug.viewlet.action.removeAllBreakpoints': 'debug.removeBreakpoints',
  'git.commit': 'git.commit',
  'git.stageAll': 'git.stageAll',
  'git.unstageAll': 'git.unstageAll',
  'git.pull': 'git.pull',
  'git.push': 'git.push',
  'git.fetch': 'git.fetch',
  'git.sync': 'git.sync',
  'git.checkout': 'git.switchBranch',
  'git.branch': 'git.createBranch',
  'git.openChange': 'git.openChanges',
  'git.clone': 'git.clone',
  'notifications.showList': 'notices.show',
  'workbench.action.chat.open': 'chat.focus',
  'workbench.action.chat.newChat': 'chat.new',
  'inlineChat.start': 'inlineEdit.start',
}

const tizonaCommands = new Set(commands.map(({ id }) => id))
/** Commands of Monaco, which Tizona's editor has too. */
const editorCommand =
  /^(?:editor\.action\.|editor\.(?:fold|unfold|toggleFold)|cursor[A-Z]|scroll[A-Z]|delete(?:Word|AllLeft|AllRight|Left|Right)|undo$|redo$|acceptSelectedSuggestion|selectNextSuggestion|selectPrevSuggestion|jumpToNextSnippet|leaveSnippet|lineBreakInsert|outdent$|tab$)/

/** Conditions that Tizona's commands have anyway, or that hardly matter for a key with a modifier. */
const harmlessConditions = new Set(['editorTextFocus', 'editorFocus', 'textInputFocus', '!terminalFocus', 'true'])

/** Whether each press of keys is one that types nothing. */
export const hasModifier = (key: string): boolean =>
  key.split(' ').every((press) => /\b(?:ctrl|alt|cmd|meta|win)\+|^(?:shift\+)?f\d+$/i.test(press))

export interface ConvertedKeybindings {
  bindings: UserKeybinding[]
  imported: string[]
  skipped: string[]
}

/** Pure: converts the content of VS Code's `keybindings.json`. @param known the user's own entries, which stay */
export function convertKeybindings(
  entries: readonly unknown[],
  known: readonly UserKeybinding[],
): ConvertedKeybindings {
  const converted: ConvertedKeybindings = { bindings: [], imported: [], skipped: [] }
  for (const entry of entries) {
    const { key, command, when, args } = (typeof entry === 'object' && entry !== null ? entry : {}) as {
      [field in 'key' | 'command' | 'when' | 'args']?: unknown
    }
    if (typeof key !== 'string' || typeof command !== 'string' || command === '') continue
    const name = `${key} (${command})`
    const isRemoval = command.startsWith('-')
    const id = isRemoval ? command.slice(1) : command
    const counterpart = Object.hasOwn(counterparts, id) ? counterparts[id] : tizonaCommands.has(id) ? id : undefined
    if (readKeys(key) === null) converted.skipped.push(`${name}: Tizona does not know this key.`)
    else if (args !== undefined) converted.skipped.push(`${name}: commands with arguments are not supported.`)
    else if (counterpart !== undefined && typeof when === 'string' && !harmlessConditions.has(when))
      converted.skipped.push(`${name}: Tizona does not have its condition, "${when.slice(0, 200)}".`)
    else if (counterpart !== undefined && !isRemoval && !hasModifier(key))
      converted.skipped.push(`${name}: without a condition, the key could not be typed any more.`)
    else if (counterpart === undefined && !editorCommand.test(id))
      converted.skipped.push(`${name}: the command has no counterpart.`)
    else {
      const own = `${isRemoval ? '-' : ''}${counterpart ?? id}`
      if (known.some((other) => readKeys(other.key) === readKeys(key) && other.command === own)) continue
      converted.bindings.push({
        key,
        command: own,
        ...(counterpart === undefined && typeof when === 'string' && { when }),
      })
      converted.imported.push(`${key}: ${own}`)
    }
  }
  return converted
}
