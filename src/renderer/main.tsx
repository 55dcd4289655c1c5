import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import '@vscode/codicons/dist/codicon.css'
import { createRoot } from 'react-dom/client'
import { connect } from './bridge.ts'
import { registerChat } from './chat/register.ts'
import { preloadEditor } from './editor/preload.ts'
import { registerEditor } from './editor/register.ts'
import { registerExplorer } from './explorer/actions.ts'
import { registerMcp } from './settings/mcp/store.ts'
import { registerDrop } from './welcome/drop.ts'
import { registerFolders } from './welcome/folders.ts'
import { followApp } from './workbench/app.ts'
import './workbench/base.css'
import { registerWorkbench } from './workbench/register.ts'
import { followSession } from './workbench/session.ts'
import { followTheme } from './workbench/theme.ts'
import './workbench/tokens.css'
import './workbench/ui/ui.css'
import { Workbench } from './workbench/Workbench.tsx'

// The parts listen before the connection is made, so that nothing main says is missed. They live as long as the page.
followTheme()
followApp()
registerWorkbench()
registerFolders()
registerDrop()
registerEditor()
registerExplorer()
registerChat()
registerMcp()
followSession()
preloadEditor()
connect()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(<Workbench />)
