import type { UserData } from '../appServices/userData.ts'
import type { Handlers } from '../core/coreContract.ts'

type ExtensionHandlers = Pick<Handlers, Extract<keyof Handlers, `extensions.${string}`>>

const bytesOf = (data: string) => new Uint8Array(Buffer.from(data, 'base64'))

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
