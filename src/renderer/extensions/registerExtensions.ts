import { useApp } from '../platform/appState.ts'
import { on, onConnected } from '../platform/bridge/bridge.ts'
import { handleCommand } from '../platform/commands.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { loadContributions } from '../platform/extensions/extensionsStore.ts'
import { attempt } from '../platform/notices.ts'
import { loadImportedThemes } from '../platform/theme/theme.ts'

const failure = 'The extensions could not be loaded'

// The start of the window does not need them.
const installing = () => import('./installExtensions.ts')
const plugins = () => import('./plugins/addPlugins.ts')
const iconThemes = () => import('./iconThemes.ts')

/** Registers the commands, contributions and drops of extensions. @returns a function that unregisters them */
export function registerExtensions(): () => void {
  const stops = [
    onConnected(() => attempt(loadContributions, failure)),
    on('extensions.changed', () => attempt(() => Promise.all([loadContributions(), loadImportedThemes()]), failure)),
    contributeLanguageFeatures(async () => (await import('./contributedLanguages.ts')).followContributedLanguages()),
    handleCommand('extensions.show', () => openPage('extensions')),
    handleCommand('extensions.install', async () => (await installing()).chooseAndInstall()),
    handleCommand('extensions.installFolder', async () => (await installing()).chooseAndInstallFolder()),
    handleCommand('iconTheme.choose', async () => (await iconThemes()).chooseIconTheme()),
    useApp.subscribe(({ state }) => {
      if (state?.settings?.iconTheme)
        attempt(async () => (await iconThemes()).followIconTheme(), 'The file icon theme could not be loaded')
    }),
    handleCommand('plugins.show', () => openPage('plugins')),
    handleCommand('plugins.addFolder', async () => (await plugins()).chooseFolder()),
    handleCommand('plugins.addArchive', async () => (await plugins()).chooseArchive()),
    handleCommand('plugins.check', async () => (await plugins()).checkAll()),
    registerDrop(),
  ]
  return () => stops.forEach((stop) => stop())
}

/**
 * Installs .vsix files that are dropped anywhere on the window, folders that are dropped on the page of the extensions,
 * and .zip files and folders that are dropped on the page of the plug-ins. Registered before the listener that opens
 * dropped files.
 * @returns a function that unregisters it
 */
function registerDrop(): () => void {
  const drop = (event: DragEvent): void => {
    const { dataTransfer, target } = event
    if (event.defaultPrevented || !dataTransfer?.types.includes('Files')) return
    const page = target instanceof Element ? target.closest('[data-drop]')?.getAttribute('data-drop') : undefined
    const ending = page === 'plugins' ? '.zip' : '.vsix'
    const files = [...dataTransfer.files].filter(({ name }) => name.toLowerCase().endsWith(ending))
    const entries = page ? [...dataTransfer.items].map((item) => item.webkitGetAsEntry()) : []
    const folders = entries.filter((entry) => entry !== null).filter(({ isDirectory }) => isDirectory)
    if (files.length + folders.length === 0) return
    event.preventDefault()
    if (page === 'plugins')
      attempt(async () => (await plugins()).addDropped(files, folders), 'The plug-in was not added')
    else
      attempt(async () => (await installing()).installDropped(files, folders), 'The extension could not be installed')
  }
  addEventListener('drop', drop)
  return () => removeEventListener('drop', drop)
}
