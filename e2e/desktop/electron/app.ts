import { existsSync, mkdirSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { guarded } from './guarded.ts'
import { config, isReady, switches, whenReady } from './host.ts'
import { appEvents, exit, onExit, quit } from './lifecycle.ts'
import { effects } from './shell.ts'
import { handOver, holdLock, releaseLock } from './singleInstance.ts'

/** Folder, name and version of the application, from its package.json. */
export interface ApplicationPackage {
  folder: string
  name: string
  version: string
}

const home = homedir()
const names = [
  'home',
  'appData',
  'assets',
  'userData',
  'sessionData',
  'temp',
  'exe',
  'module',
  'desktop',
  'documents',
  'downloads',
  'music',
  'pictures',
  'videos',
  'recent',
  'logs',
  'crashDumps',
]
const paths = new Map<string, string>([
  ['home', home],
  ['appData', join(home, '.config')],
  ['temp', tmpdir()],
  ['exe', process.execPath],
  ['module', process.execPath],
  ['desktop', join(home, 'Desktop')],
  ['documents', join(home, 'Documents')],
  ['downloads', join(home, 'Downloads')],
])
let locked = false
let deliveries: Promise<void> = Promise.resolve()

onExit(async () => {
  // A second instance ends only after the first one has received its message.
  await deliveries
  releaseLock()
})

/** The module `app` of an application. */
export function createApp({ folder, name, version }: ApplicationPackage) {
  const userData = (): string => paths.get('userData') ?? join(home, '.config', name)

  return guarded(
    'app',
    Object.assign(appEvents, {
      isPackaged: config.packaged,
      name,
      whenReady,
      isReady,
      quit,
      exit,
      getName: () => name,
      getVersion: () => version,
      getAppPath: () => folder,
      getLocale: () => 'en-US',
      focus: () => {},
      setAppUserModelId: () => {},
      setAboutPanelOptions: () => {},
      commandLine: {
        appendSwitch(key: string, value = ''): void {
          // Stricter than Electron, where it has no effect then.
          if (isReady()) throw new Error(`The switch '${key}' comes too late: Chromium has started.`)
          switches.set(key, value)
        },
        hasSwitch: (key: string) => switches.has(key),
        getSwitchValue: (key: string) => switches.get(key) ?? '',
        removeSwitch: (key: string) => void switches.delete(key),
      },

      getPath(key: string): string {
        if (!names.includes(key)) throw new Error(`Failed to get '${key}' path`)
        if (key === 'userData') return userData()
        if (key === 'sessionData') return paths.get(key) ?? userData()
        const path = paths.get(key)
        if (path === undefined) throw new Error(`Failed to get '${key}' path`)
        return path
      },
      setPath(key: string, path: string): void {
        if (!isAbsolute(path)) throw new Error('Path must be absolute')
        if (!names.includes(key)) throw new Error(`Failed to set path '${key}'`)
        // As documented. Electron creates some of these folders itself, but no application should rely on that.
        if (!existsSync(path) || !statSync(path).isDirectory())
          throw new Error(`Failed to set path '${key}': ${basename(path)} does not exist`)
        paths.set(key, path)
      },

      requestSingleInstanceLock(data: object = {}): boolean {
        mkdirSync(userData(), { recursive: true })
        locked = holdLock(userData(), (argv, cwd, theirs) => {
          whenReady()
            .then(() => appEvents.emit('second-instance', {}, argv, cwd, theirs))
            .catch((error: unknown) => console.error(error))
        })
        if (!locked) deliveries = handOver(userData(), structuredClone(data))
        return locked
      },
      hasSingleInstanceLock: () => locked,
      releaseSingleInstanceLock(): void {
        releaseLock()
        locked = false
      },

      addRecentDocument: (path: string) => void effects.push({ kind: 'addRecentDocument', path }),
      clearRecentDocuments: () => void effects.push({ kind: 'clearRecentDocuments' }),
    }),
  )
}
