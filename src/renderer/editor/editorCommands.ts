import { encodings, encodingTexts, type Encoding } from '../../shared/files/encodings.ts'
import { isUntitled } from '../../shared/files/untitled.ts'
import { handleRequest, on, onConnected, request } from '../platform/bridge/bridge.ts'
import { absolutePathOf, currentWorkspace, saveSettings, useApp } from '../platform/appState.ts'
import { chooseFolder } from '../platform/quickPick/chooseFolder.ts'
import { defineCondition, handleCommand, type CommandId } from '../platform/commands.ts'
import { attempt, notify } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { folderSettingsPath } from '../platform/editor/editorSettings.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { pageSave } from '../platform/layout/pages.tsx'
import { focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { closeActiveTab, closeAll, closeGroup, closeOthers, closeRight, closeSaved, reopenClosed } from './closeTabs.ts'
import {
  compareWithDisk,
  insertAtCursor,
  openDiff,
  openFile,
  openFileForTool,
  showAndFocus,
  splitAndFocus,
} from './openTab.ts'
import { tabTitle } from './tabTitle.ts'
import { confirmLeaving, confirmUnsaved, moveToFolder, saveFiles } from './unsavedChanges.ts'
import { newUntitledPath, saveAs } from './saveAs.ts'
import { followEditorConfigs } from './editorConfigs.ts'
import { useBreadcrumbFocus } from './Breadcrumbs.tsx'
import { provideEditorCommands } from '../platform/keymap/monacoCommands.ts'
import { loadMonacoView } from './loadMonacoView.ts'
import { registerEditorService } from '../platform/editor/editorService.ts'
import { createEditorRequestHandlers, registerEditorRequestHandlers } from './editorRequestHandlers.ts'
import { documentLanguage } from '../platform/editor/documents/documentSettings.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { neighborOf } from '../platform/editor/groupLayout.ts'
import { isPinned } from '../platform/editor/tabsState.ts'
import {
  activePath,
  activeTab,
  documentPath,
  focusGroup,
  keepTab,
  moveToGroup,
  openPage,
  setPinned,
  stepTab,
  useTabs,
} from '../platform/editor/tabsStore.ts'
import { navigateHistory, type HistoryEntry } from './navigationHistory.ts'
import { followAutoSave } from './autoSave.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { runSourceActions, savePreparation } from './savePreparation.ts'
import { viewOf, waitForView } from '../platform/editor/editorViews.ts'

function withPath(action: (path: string) => Promise<unknown>): () => Promise<unknown> {
  return async () => {
    const path = activePath()
    return path === null ? undefined : action(path)
  }
}

function monacoAction(id: string): () => void {
  return () => viewOf(useTabs.getState().activeGroup)?.runAction(id)
}

/** Focuses the text of the active file, or the first control of the active page. */
async function focusEditor(): Promise<void> {
  const path = activePath()
  // Wait for a file that was just opened.
  const view = path === null ? null : await waitForView(useTabs.getState().activeGroup, path)
  if (view) view.focus()
  else focusRegionNamed('editor')
}

/** Returns what "Save" does on the active page. */
function savePage(): (() => Promise<unknown>) | undefined {
  const tab = activeTab()
  return tab ? pageSave(tab.id) : undefined
}

/** Opens the folder's settings as JSON. Creates the file if necessary. */
async function openFolderSettings(): Promise<void> {
  const folder = await chooseFolder('Select the folder whose settings to open')
  if (folder === null) return
  const path = folder === '.' ? folderSettingsPath : `${folder}/${folderSettingsPath}`
  const known = await request('files.locate', { paths: [absolutePathOf(path)] })
  if (known[0]?.kind === 'missing') {
    await request('files.create', { path, directory: false })
    const format = { encoding: 'utf8', eol: '\n' } as const
    await request('files.write', { path, text: '{\n  "editor": {}\n}\n', format, force: true })
  }
  await openFile(path)
}

/** Formats a file. Shows a notice if there is no formatter. */
async function formatFile(path: string): Promise<void> {
  const state = documents.get(path)
  if (state?.readonly) return notify('info', 'The file is read-only, so it was not formatted.')
  if (state?.large) return notify('info', 'The file is too large to be formatted.')
  if (await savePreparation.format(path)) return
  notify('info', `There is no formatter for ${path.slice(path.lastIndexOf('/') + 1)}.`, {
    detail: currentWorkspace()?.restricted
      ? "The project's formatters run in trusted folders only."
      : 'Add one to the project, such as Prettier, or start a language server that formats.',
  })
}

/** Sorts a file's imports and removes unused ones. Shows a notice if there is nothing to do. */
async function organizeImports(path: string): Promise<void> {
  if (documents.get(path)?.readonly) return notify('info', 'The file is read-only, so its imports were not organized.')
  const name = path.slice(path.lastIndexOf('/') + 1)
  const applied = isOutsideFile(path)
    ? null
    : await runSourceActions({ request, documents }, path, 'source.organizeImports')
  if (applied === null)
    return notify('info', `No language server organizes the imports of ${name}.`, {
      detail: 'Settings › Languages lists the servers and whether they run.',
    })
  if (applied === 0) notify('info', `There are no imports to organize in ${name}.`)
}

/** Opens an entry of the navigation history. */
async function openEntry({ path, line, column, library }: HistoryEntry): Promise<void> {
  if (library === undefined) return openFile(path, { line, column }, { preview: true, reveal: true })
  const { openLibraryFile } = await import('../platform/editor/documents/libraryFiles.ts')
  openLibraryFile({ id: library, path, position: { line, column } })
}

/** Focuses an editor group by its position, from left to right and top to bottom, if it exists. */
async function focusGroupAt(index: number): Promise<void> {
  const group = useTabs.getState().groups[index]
  if (!group) return
  focusGroup(group.id)
  await focusEditor()
}

/** Lists the tabs of the active group, most recently used first, and shows the chosen one. */
async function chooseTab(): Promise<void> {
  const { groups, activeGroup } = useTabs.getState()
  const group = groups.find(({ id }) => id === activeGroup)
  if (!group) return
  const used = group.used ?? []
  const tabs = group.tabs.toSorted((a, b) => used.indexOf(b.id) - used.indexOf(a.id))
  const choice = await quickPick({
    title: 'Open tabs',
    placeholder: 'Type the name of a tab',
    items: tabs.map((tab) => ({
      id: tab.id,
      label: tabTitle(tab),
      description: tab.kind === 'page' ? undefined : tab.path,
      current: tab.id === group.active,
    })),
  })
  const tab = tabs.find(({ id }) => id === choice?.id)
  if (tab) await showAndFocus(tab, group.id)
}

/** Moves the active tab to the next (1) or previous (-1) group, with the focus. */
async function moveTabToGroup(step: 1 | -1): Promise<void> {
  moveToGroup(step)
  const tab = activeTab()
  if (tab) await showAndFocus(tab, useTabs.getState().activeGroup)
}

/** Focuses the next (1) or previous (-1) editor group. After the last one comes the first. */
async function focusGroupStep(step: 1 | -1): Promise<void> {
  const { groups, activeGroup } = useTabs.getState()
  const index = groups.findIndex(({ id }) => id === activeGroup)
  await focusGroupAt((index + step + groups.length) % groups.length)
}

/** Focuses the editor group on the left or right of the active one, if there is one. */
async function focusGroupBeside(direction: 'left' | 'right'): Promise<void> {
  const { layout, activeGroup } = useTabs.getState()
  const group = neighborOf(layout, activeGroup, direction)
  if (group === undefined) return
  focusGroup(group)
  await focusEditor()
}

async function changeEol(path: string): Promise<void> {
  const eol = documents.get(path)?.format.eol
  const choice = await quickPick({
    title: 'Line endings',
    items: [
      { id: '\n', label: 'LF', description: 'Linux, macOS', current: eol === '\n' },
      { id: '\r\n', label: 'CRLF', description: 'Windows', current: eol === '\r\n' },
    ],
  })
  if (choice) documents.setFormat(path, { eol: choice.id === '\r\n' ? '\r\n' : '\n' })
}

async function changeLanguage(path: string): Promise<void> {
  const { languageItems, setLanguage } = await import('./languagePicker.ts')
  const choice = await quickPick({ title: 'Language mode', placeholder: 'Type a language', items: languageItems(path) })
  if (choice) setLanguage(path, choice.id)
}

function pickEncoding(title: string, current: Encoding | undefined) {
  return quickPick({
    title,
    placeholder: 'Type an encoding',
    items: encodings.map((id) => {
      const { title: label, languages } = encodingTexts[id]
      return { id, label, description: languages, keywords: id, current: id === current }
    }),
  })
}

async function reopenWithEncoding(path: string): Promise<void> {
  const choice = await pickEncoding('Reopen with encoding', documents.get(path)?.format.encoding)
  const encoding = encodings.find((id) => id === choice?.id)
  if (encoding) await documents.reopen(path, encoding)
}

async function saveWithEncoding(path: string): Promise<void> {
  const before = documents.get(path)?.format.encoding
  const choice = await pickEncoding('Save with encoding', before)
  const encoding = encodings.find((id) => id === choice?.id)
  if (!encoding || before === undefined) return
  documents.setFormat(path, { encoding })
  if (isUntitled(path)) return void (await saveAs(path))
  try {
    // Without the rules of `.editorconfig`, which could name another encoding.
    await documents.save(path)
  } catch (error) {
    documents.setFormat(path, { encoding: before })
    throw error
  }
}

async function openText(text: string, language: string): Promise<void> {
  const path = newUntitledPath()
  await openFile(path)
  const { setLanguage } = await import('./languagePicker.ts')
  setLanguage(path, language)
  // Also if another tab is shown by now.
  documents.setText(path, text)
  const view = viewOf(useTabs.getState().activeGroup)
  if (view?.path() === path) view.goTo({ line: 1, column: 1 })
}

async function changeEncoding(path: string): Promise<void> {
  const choice = await quickPick({
    title: 'File encoding',
    items: [
      { id: 'reopen', label: 'Reopen with encoding', description: 'Loads the file again' },
      { id: 'save', label: 'Save with encoding', description: 'Writes the file' },
    ],
  })
  if (choice) await (choice.id === 'reopen' ? reopenWithEncoding(path) : saveWithEncoding(path))
}

const commandHandlers: Partial<Record<CommandId, () => void | Promise<unknown>>> = {
  // A diff with a file's live text can be edited too.
  'file.save': async () => {
    const path = documentPath(activeTab())
    if (path !== null) await saveFiles([path])
    else await savePage()?.()
  },
  'file.newUntitled': () => openFile(newUntitledPath()),
  'file.saveAs': async () => {
    const path = documentPath(activeTab())
    if (path !== null) await saveAs(path)
  },
  'file.saveAll': () => saveFiles(documents.dirtyPaths()),
  'file.revert': withPath((path) => documents.revert(path)),
  'file.compareSaved': withPath(compareWithDisk),
  'tab.close': closeActiveTab,
  'tab.closeOthers': async () => {
    const tab = activeTab()
    if (tab) await closeOthers(useTabs.getState().activeGroup, tab.id)
  },
  'tab.closeRight': async () => {
    const tab = activeTab()
    if (tab) await closeRight(useTabs.getState().activeGroup, tab.id)
  },
  'tab.closeSaved': () => closeSaved(useTabs.getState().activeGroup),
  'tab.closeGroup': () => closeGroup(useTabs.getState().activeGroup),
  'tab.closeAll': closeAll,
  'tab.reopen': reopenClosed,
  'tab.keep': () => {
    const tab = activeTab()
    if (tab) keepTab(tab.id)
  },
  'breadcrumbs.focus': () => useBreadcrumbFocus.setState({ requested: true }),
  'tab.next': () => stepTab(1),
  'tab.previous': () => stepTab(-1),
  'tab.pin': () => {
    const { groups, activeGroup } = useTabs.getState()
    const group = groups.find(({ id }) => id === activeGroup)
    if (group?.active) setPinned(group.id, group.active, !isPinned(group, group.active))
  },
  'tab.showAll': chooseTab,
  'editor.split': () => splitAndFocus('right'),
  'editor.splitDown': () => splitAndFocus('down'),
  'editor.moveToNextGroup': () => moveTabToGroup(1),
  'editor.moveToPreviousGroup': () => moveTabToGroup(-1),
  'editor.focusNextGroup': () => focusGroupStep(1),
  'editor.focusPreviousGroup': () => focusGroupStep(-1),
  'editor.focusLeft': () => focusGroupBeside('left'),
  'editor.focusRight': () => focusGroupBeside('right'),
  'editor.focus': focusEditor,
  'editor.focusFirst': () => focusGroupAt(0),
  'editor.focusSecond': () => focusGroupAt(1),
  'editor.focusThird': () => focusGroupAt(2),
  'edit.undo': monacoAction('undo'),
  'edit.redo': monacoAction('redo'),
  'edit.find': monacoAction('actions.find'),
  'edit.replace': monacoAction('editor.action.startFindReplaceAction'),
  'edit.format': withPath(formatFile),
  'edit.organizeImports': withPath(organizeImports),
  'edit.expandEmmet': monacoAction('editor.emmet.action.expandAbbreviation'),
  'edit.wrapWithEmmet': monacoAction('editor.emmet.action.wrapWithAbbreviation'),
  'symbols.definition': monacoAction('editor.action.revealDefinition'),
  'symbols.peekDefinition': monacoAction('editor.action.peekDefinition'),
  'symbols.references': monacoAction('editor.action.goToReferences'),
  'travel.back': () => navigateHistory(-1, openEntry),
  'travel.forward': () => navigateHistory(1, openEntry),
  'edit.changeEol': withPath(changeEol),
  'edit.changeEncoding': withPath(changeEncoding),
  'edit.reopenWithEncoding': withPath(reopenWithEncoding),
  'edit.saveWithEncoding': withPath(saveWithEncoding),
  'edit.changeLanguage': withPath(changeLanguage),
  'edit.toggleWordWrap': async () => {
    const editor = useApp.getState().state?.settings.editor
    if (!editor) return
    const language = documentLanguage(activePath() ?? '') ?? ''
    const block = editor.languages[language]
    // The setting for all languages would have no effect on this file.
    if (block?.wordWrap !== undefined) {
      const languages = { ...editor.languages, [language]: { ...block, wordWrap: !block.wordWrap } }
      await saveSettings({ editor: { ...editor, languages } })
    } else await saveSettings({ editor: { ...editor, wordWrap: !editor.wordWrap } })
  },
  'view.toggleDiffSideBySide': async () => {
    const editor = useApp.getState().state?.settings.editor
    if (editor) await saveSettings({ editor: { ...editor, diffSideBySide: !editor.diffSideBySide } })
  },
  'settings.open': () => openPage('settings'),
  'settings.openJson': () => openPage('settingsJson'),
  'settings.openFolder': openFolderSettings,
  'view.console': () => openPage('console'),
}

/** Registers the editor's commands, services and listeners. @returns a function that unregisters them */
export function registerEditor(): () => void {
  defineCondition('tab', () => activeTab() !== null)
  defineCondition('file', () => activePath() !== null)
  defineCondition('document', () => documentPath(activeTab()) !== null || savePage() !== undefined)
  defineCondition('dirty', () => documents.get(activePath() ?? '')?.dirty ?? false)
  defineCondition('closedTab', () => useTabs.getState().closed.length > 0)
  provideEditorCommands(async () => {
    await loadMonacoView()
    return (await import('./monacoKeys.ts')).editorCommandsWithKeys()
  })
  // The keys of commandHandlers are CommandIds.
  const stops = Object.entries(commandHandlers).map(([id, handler]) => handleCommand(id as CommandId, handler))

  function checkAll(): void {
    for (const path of documents.paths()) attempt(() => documents.checkDisk(path))
  }
  // Load the files of tabs that become active.
  const stopTabs = useTabs.subscribe(({ groups }) => {
    if (!currentWorkspace()) return
    for (const group of groups) {
      const tab = group.tabs.find(({ id }) => id === group.active)
      if (tab?.kind === 'file' && !documents.get(tab.path)) void documents.open(tab.path)
    }
  })
  // An edit makes a preview tab permanent, so that the next preview does not replace unsaved text.
  const stopKeeping = documents.store.subscribe((all) => {
    for (const { preview } of useTabs.getState().groups) {
      if (preview?.startsWith('file:') && all[preview.slice('file:'.length)]?.dirty) keepTab(preview)
    }
  })
  const flush = () => documents.flush()
  // In Electron, hosts/electron/closeGuard.ts asks instead.
  const beforeUnload = window.tizona ? flush : confirmLeaving
  addEventListener('beforeunload', beforeUnload)
  addEventListener('pagehide', flush)

  stops.push(
    registerEditorService({ openFile, openText, openDiff, insertAtCursor, saveFiles, confirmUnsaved }),
    registerEditorRequestHandlers(handleRequest, createEditorRequestHandlers({ documents, openFile: openFileForTool })),
    on('app.moved', moveToFolder),
    on('files.changed', ({ changes, overflow }) => {
      if (overflow) checkAll()
      for (const { path, directory } of changes) {
        const touched = directory
          ? documents.paths().filter((open) => open.startsWith(`${path}/`))
          : documents.get(path)
            ? [path]
            : []
        for (const open of touched) attempt(() => documents.checkDisk(open))
      }
    }),
    onConnected(() => {
      documents.syncAll()
      checkAll()
    }),
    stopTabs,
    stopKeeping,
    followAutoSave(),
    contributeLanguageFeatures(async () => (await import('./workspaceFileSchema.ts')).registerWorkspaceFileSchema()),
    contributeLanguageFeatures(async () => (await import('./snippetCompletion.ts')).registerSnippets()),
    contributeLanguageFeatures(async () => (await import('./emmet/emmetSuggestions.ts')).registerEmmet()),
    contributeEditorExtension(async () => (await import('./emmet/emmetSuggestions.ts')).emmetKeys),
    followEditorConfigs(),
    () => removeEventListener('beforeunload', beforeUnload),
    () => removeEventListener('pagehide', flush),
  )
  warnOfInsecureOrigin()
  return () => stops.forEach((stop) => stop())
}

/**
 * Warns if the browser denies clipboard access, which requires a secure origin. Loopback addresses are secure, but
 * other host names may not be.
 */
function warnOfInsecureOrigin(): void {
  if (!isSecureContext)
    notify('warning', 'Copy and paste are limited, because the browser does not treat this address as secure.', {
      detail: 'Open Tizona at http://127.0.0.1 or http://localhost.',
    })
}
