import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// base/treeSitterEngine.test.ts runs this file in a process of its own. It loads an entry of Tizona, parses Swift in the same
// process and prints the peak memory of the process in megabytes.

const entry = process.argv[2] ?? ''

/** Stand-in for Electron. It denies the single-instance lock, so that index.ts opens no window. */
const electron = `const none = new Proxy(function () {}, { get: () => none })
export const app = { isPackaged: false, setPath() {}, requestSingleInstanceLock: () => false, quit() {}, exit() {} }
${['BrowserWindow', 'dialog', 'ipcMain', 'Menu', 'nativeImage', 'nativeTheme', 'net', 'Notification', 'protocol', 'safeStorage', 'screen', 'session', 'shell', 'Tray', 'utilityProcess', 'WebContentsView'].map((name) => `export const ${name} = none`).join('\n')}`
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: `data:text/javascript,${encodeURIComponent(electron)}`, shortCircuit: true }
      : next(specifier, context),
})

// Entries exit, but this process must parse first.
const { exit } = process
process.exit = (() => undefined) as typeof process.exit
process.argv = [process.argv[0] ?? '', entry, entry.endsWith('index.ts') ? '.' : '--help']
await import(pathToFileURL(entry).href)

const { createSymbolReader } = await import('../code/index/symbolReader.ts')
const { languageOf } = await import('../code/index/languages.ts')
const reader = createSymbolReader({
  grammars: path.join(import.meta.dirname, '../../../resources/grammars'),
  onNotice: console.error,
  milliseconds: 60_000,
})
const text =
  'func a() -> Int { let x = [1, 2].map { $0 + 1 }; if x.count > 2 { return 1 } else { return 2 } }\n'.repeat(200)
let symbols = 0
// The optimizing compiler starts during the first round. Several rounds give it time to use its memory.
for (let round = 0; round < 8; round++) symbols += (await reader.read(languageOf('a.swift'), text)).found.symbols.length
if (symbols === 0) throw new Error('No symbol was read.')
const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
console.log(`peak ${peak.toFixed(0)}`)
exit(0)
