import { connectBridge } from './bridge.ts'

// Connects to the browser host while the rest of the window is still being evaluated. All modules are evaluated in one
// task, so messages arrive afterwards. Electron's bridge connects immediately, so main.tsx connects it after
// subscribing.
if (!window.tizona) connectBridge()
