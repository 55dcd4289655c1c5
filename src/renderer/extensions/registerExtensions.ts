import { on, onConnected } from '../platform/bridge/bridge.ts'
import { handleCommand } from '../platform/commands.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { loadContributions } from '../platform/extensions/extensionsStore.ts'
import { attempt } from '../platform/notices.ts'
import { loadImportedThemes } from '../platform/theme/theme.ts'
import { chooseIconTheme, followIconTheme } from './iconThemes.ts'
import { chooseAndInstall, chooseAndInstallFolder, registerExtensionDrop } from './installExtensions.ts'

const failure = 'The extensions could not be loaded'

/** Registers the commands, contributions and drops of extensions. @returns a function that unregisters them */
export function registerExtensions(): () => void {
  const stops = [
    onConnected(() => attempt(loadContributions, failure)),
    on('extensions.changed', () => attempt(() => Promise.all([loadContributions(), loadImportedThemes()]), failure)),
    contributeLanguageFeatures(async () => (await import('./contributedLanguages.ts')).followContributedLanguages()),
    handleCommand('extensions.show', () => openPage('extensions')),
    handleCommand('extensions.install', chooseAndInstall),
    handleCommand('extensions.installFolder', chooseAndInstallFolder),
    handleCommand('iconTheme.choose', chooseIconTheme),
    followIconTheme(),
    registerExtensionDrop(),
  ]
  return () => stops.forEach((stop) => stop())
}
