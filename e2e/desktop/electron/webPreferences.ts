import { isAbsolute } from 'node:path'
import type { WebPreferences } from 'electron'
import { notModelled } from './guarded.ts'

/** Names of all web preferences in Electron (docs/api/structures/web-preferences). */
const known = [
  'accessibleTitle',
  'additionalArguments',
  'allowRunningInsecureContent',
  'autoplayPolicy',
  'backgroundThrottling',
  'contextIsolation',
  'defaultEncoding',
  'defaultFontFamily',
  'defaultFontSize',
  'defaultMonospaceFontSize',
  'deprecatedPasteEnabled',
  'devTools',
  'disableBlinkFeatures',
  'disableDialogs',
  'disableHtmlFullscreenWindowResize',
  'enableBlinkFeatures',
  'enableDeprecatedPaste',
  'enablePreferredSizeMode',
  'enableWebSQL',
  'experimentalFeatures',
  'focusOnNavigation',
  'imageAnimationPolicy',
  'images',
  'javascript',
  'minimumFontSize',
  'navigateOnDragDrop',
  'nodeIntegration',
  'nodeIntegrationInSubFrames',
  'nodeIntegrationInWorker',
  'offscreen',
  'partition',
  'plugins',
  'preload',
  'safeDialogs',
  'safeDialogsMessage',
  'sandbox',
  'scrollBounce',
  'session',
  'spellcheck',
  'textAreasAreResizable',
  'transparent',
  'v8CacheOptions',
  'webaudio',
  'webgl',
  'webSecurity',
  'webviewTag',
  'zoomFactor',
]

/** Values that the harness uses for every window. Other values would change the page's environment in Electron. */
const required: WebPreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
}

/** @throws Error for unknown names and for values that the harness does not support */
export function checkWebPreferences(preferences: WebPreferences): void {
  for (const [name, value] of Object.entries(preferences)) {
    if (!known.includes(name)) throw new Error(`Unknown webPreferences: ${name}`)
    if (name in required && value !== required[name as keyof WebPreferences])
      throw notModelled(`a window with ${name}: ${String(value)}`)
  }
  if (preferences.preload !== undefined && !isAbsolute(preferences.preload))
    throw new Error(`The preload script must be an absolute path: ${preferences.preload}`)
}
