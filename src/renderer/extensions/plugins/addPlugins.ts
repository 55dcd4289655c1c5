import { maxExtensionBytes } from '../../../shared/extensions/extensions.ts'
import type { AddedPlugin } from '../../../shared/plugins/pluginRequests.ts'
import { maxPluginFiles } from '../../../shared/plugins/plugins.ts'
import { ToolError } from '../../../shared/errors.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { toBase64 } from '../../platform/files/base64.ts'
import { pickFolder } from '../../platform/files/folderPicker.ts'
import { openPage } from '../../platform/editor/tabsStore.ts'
import { notify, notifyFailure } from '../../platform/notices.ts'
import { chooseFiles, readFolder } from '../installExtensions.ts'

/** Shows the page with what was added, and says what it waits for. */
function announce({ outcome, plugin: { name, state } }: AddedPlugin): void {
  openPage('plugins')
  if (outcome === 'installed')
    notify('success', `Added the plug-in ${name}.`, { detail: 'Nothing of it is used until you trust it.' })
  else if (outcome === 'offered')
    notify('info', `The plug-in ${name} has an update.`, { detail: 'Review what changes, then accept or dismiss it.' })
  else notify('info', `The plug-in ${name} is up to date.`, state === 'trusted' ? {} : { detail: 'It is not trusted.' })
}

/** Asks for the folder of a plug-in and adds it. */
export function chooseFolder(): Promise<void> {
  return pickFolder({
    title: 'Add plug-in from folder',
    action: 'Add this folder',
    choose: async (path) => announce(await request('plugins.addFolder', { path })),
  })
}

/** Asks for a .zip file and adds it. */
export async function chooseArchive(): Promise<void> {
  const [file] = await chooseFiles({ accept: '.zip', label: 'ZIP file of a plug-in' })
  if (file) await addArchive(file)
}

const tooLarge = (name: string) =>
  new ToolError(
    'too_large',
    `${name} has more than ${formatSize(maxExtensionBytes)} or ${plural(maxPluginFiles, 'file')}.`,
    'Choose the folder or .zip file of one plug-in.',
  )

async function addArchive(file: File): Promise<void> {
  if (file.size > maxExtensionBytes) throw tooLarge(file.name)
  announce(await request('plugins.addArchive', { name: file.name, data: await toBase64(file) }))
}

/** Adds .zip files, and folders with their files. */
export async function addDropped(files: readonly File[], folders: readonly FileSystemEntry[]): Promise<void> {
  for (const file of files) await addArchive(file)
  for (const folder of folders) {
    const found = await readFolder(folder)
    const size = found.reduce((sum, { file }) => sum + file.size, 0)
    if (size > maxExtensionBytes || found.length > maxPluginFiles) throw tooLarge(folder.name)
    const sent = await Promise.all(found.map(async ({ path, file }) => ({ path, data: await toBase64(file) })))
    announce(await request('plugins.addFiles', { name: folder.name, files: sent }))
  }
}

/** Compares every plug-in that came from a folder with that folder. */
export async function checkAll(): Promise<void> {
  openPage('plugins')
  const plugins = (await request('plugins.list', {})).filter(({ source }) => source.kind === 'folder')
  const updates: string[] = []
  for (const { name } of plugins) {
    try {
      if ((await request('plugins.check', { name })).outcome === 'offered') updates.push(name)
    } catch (error) {
      notifyFailure(error, `The plug-in ${name} could not be checked`)
    }
  }
  if (updates.length > 0) notify('info', `There are updates for ${updates.join(', ')}.`)
  else notify('info', 'No plug-in has an update.', { detail: `${plural(plugins.length, 'folder')} compared.` })
}

/** Compares one plug-in with its folder. */
export async function checkOne(name: string): Promise<void> {
  announce(await request('plugins.check', { name }))
}
