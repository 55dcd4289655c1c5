import type { UserData } from '../appServices/userData.ts'
import type { Handlers } from '../core/coreContract.ts'

type ExtensionHandlers = Pick<Handlers, Extract<keyof Handlers, `extensions.${string}`>>

const bytesOf = (data: string) => new Uint8Array(Buffer.from(data, 'base64'))

type PluginHandlers = Pick<Handlers, Extract<keyof Handlers, `plugins.${string}`>>

/** Handles requests about plug-ins. */
export function createPluginHandlers({ plugins }: Pick<UserData, 'plugins'>): PluginHandlers {
  return {
    'plugins.list': () => plugins.list(),
    'plugins.addFolder': ({ path }) => plugins.addFolder(path),
    'plugins.addArchive': ({ name, data }) => plugins.addArchive(name, bytesOf(data)),
    'plugins.addFiles': ({ name, files }) =>
      plugins.addFiles(name, new Map(files.map(({ path, data }) => [path, bytesOf(data)] as const))),
    'plugins.check': ({ name }) => plugins.check(name),
    'plugins.changes': ({ name, hash }) => plugins.changes(name, hash),
    'plugins.accept': ({ name, hash }) => plugins.accept(name, hash),
    'plugins.dismiss': ({ name, hash }) => plugins.dismiss(name, hash),
    'plugins.trust': ({ name, hash, trusted }) => plugins.trust(name, hash, trusted),
    'plugins.setEnabled': ({ name, enabled }) => plugins.setEnabled(name, enabled),
    'plugins.remove': ({ name }) => plugins.remove(name),
  }
}

/** Handles requests about installed extensions. */
export function createExtensionHandlers({ extensions }: Pick<UserData, 'extensions'>): ExtensionHandlers {
  return {
    'extensions.list': () => extensions.list(),
    'extensions.install': ({ name, data }) => extensions.install(name, bytesOf(data)),
    'extensions.installFolder': ({ name, files }) =>
      extensions.installFolder(name, new Map(files.map(({ path, data }) => [path, bytesOf(data)] as const))),
    'extensions.remove': ({ id }) => extensions.remove(id),
    'extensions.setEnabled': ({ id, enabled }) => extensions.setEnabled(id, enabled),
    'extensions.contributions': () => extensions.contributions(),
    'extensions.readText': ({ extension, path }) => extensions.readText(extension, path),
    'extensions.iconTheme': ({ id }) => extensions.iconTheme(id),
    'extensions.images': ({ extension, paths }) => extensions.images(extension, paths),
  }
}
