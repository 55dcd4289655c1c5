import './platform/webrtc.ts'
import './platform/bridge/earlyConnection.ts'
import '../shared/settings/zodConfig.ts'
import './platform/editor/monaco/monacoWorkers.ts'
import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import '@vscode/codicons/dist/codicon.css'
import { createRoot } from 'react-dom/client'
import { connectBridge } from './platform/bridge/bridge.ts'
import { registerChat } from './chat/chatCommands.ts'
import { registerCalls } from './calls/registerCalls.ts'
import { registerCompletion } from './completion/registerCompletion.ts'
import { registerDebugEditor } from './debug/debugCommands.ts'
import { registerDebugViews } from './debug/views/registerDebugViews.ts'
import { registerEditor } from './editor/editorCommands.ts'
import { registerExplorer } from './explorer/explorerActions.ts'
import { registerExtensions } from './extensions/registerExtensions.ts'
import { registerInlineEdit } from './inlineEdit/registerInlineEdit.ts'
import { registerGit } from './git/gitCommands.ts'
import { registerDebug } from './platform/debug/debugStore.ts'
import { registerNotebook } from './notebook/registerNotebook.ts'
import { registerMcp } from './platform/mcpStore.ts'
import { registerSettings } from './settings/registerSettings.ts'
import { registerSymbols } from './symbols/registerSymbols.ts'
import { registerLanguages } from './languages/registerLanguages.ts'
import { registerProblems } from './problems/registerProblems.ts'
import { registerPreview } from './preview/registerPreview.ts'
import { registerSessions } from './sessions/registerSessions.ts'
import { registerWebPreview } from './webPreview/registerWebPreview.ts'
import { registerReview } from './review/reviewCommands.ts'
import { registerTimeline } from './timeline/registerTimeline.ts'
import { registerJobs } from './terminal/terminalCommands.ts'
import { preloadViews } from './app/preload.ts'
import { registerDrop } from './welcome/drop.ts'
import { registerTasks } from './tasks/taskCommands.ts'
import { registerFirstSteps } from './welcome/firstSteps/firstStepsStore.ts'
import { registerModelCheck } from './modelCheck/modelCheckStore.ts'
import { registerHosts } from './welcome/connectToHost.ts'
import { registerFolderChanges } from './welcome/changeFolders.ts'
import { registerFolders } from './welcome/openFolder.ts'
import { followErrors } from './platform/windowLog.ts'
import { ignoreCompositionKeys } from './platform/keymap/compositionKeys.ts'
import { followAppState } from './platform/appState.ts'
import { followFolderSettings } from './platform/editor/editorSettings.ts'
import './ui/base.css'
import { registerWorkbench } from './app/appCommands.ts'
import { followLayout } from './app/layoutPersistence.ts'
import { followTheme } from './platform/theme/theme.ts'
import { slowEndlessAnimations } from './ui/endlessAnimations.ts'
import './ui/tokens.css'
import './ui/ui.css'
import './ui/forcedColors.css'
import { Workbench } from './app/Workbench.tsx'

// Subscribe before connecting, so that no event from main is missed. The subscriptions last as long as the page.
followErrors()
// Before all other key listeners.
ignoreCompositionKeys()
slowEndlessAnimations()
followTheme()
followAppState()
followFolderSettings()
registerWorkbench()
registerFirstSteps()
registerModelCheck()
registerTasks()
registerDebug()
registerNotebook()
registerDebugViews()
registerDebugEditor()
registerFolders()
registerFolderChanges()
registerHosts()
// Before the listener that opens dropped files.
registerExtensions()
registerDrop()
registerEditor()
registerExplorer()
registerGit()
registerSymbols()
registerTimeline()
registerSettings()
registerLanguages()
registerProblems()
registerCalls()
registerInlineEdit()
registerCompletion()
registerChat()
registerReview()
registerSessions()
registerPreview()
registerWebPreview()
registerMcp()
registerJobs()
followLayout()
preloadViews()
// In a browser, earlyConnection.ts has already connected.
if (window.tizona) connectBridge()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(<Workbench />)
