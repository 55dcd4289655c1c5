import { connectBridge } from './bridge.ts'

// Connects to the browser host before the rest of the window is evaluated, so that both work at the same time. Its
// messages wait until then, because all modules of the window are evaluated in one task. Electron's bridge is connected
// at once, so main.tsx connects it after subscribing.
if (!window.tizona) connectBridge()
