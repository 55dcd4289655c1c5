import { toChromium } from './addresses.ts'
import { guarded } from './guarded.ts'
import { needsReady, test } from './host.ts'

/** The members of a page that permission handlers read. */
interface AskingContents {
  readonly id: number
  getURL(): string
}

type RequestHandler = (
  contents: AskingContents | null,
  permission: string,
  callback: (granted: boolean) => void,
  details: object,
) => void
type CheckHandler = (contents: AskingContents | null, permission: string, origin: string, details: object) => boolean

/** Playwright's names of permissions by Electron's names. */
const permissions = new Map([
  ['clipboard-read', 'clipboard-read'],
  ['clipboard-sanitized-write', 'clipboard-write'],
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['midi', 'midi'],
  ['media', 'camera'],
  ['storage-access', 'storage-access'],
])

let requestHandler: RequestHandler | null = null
let checkHandler: CheckHandler | null = null
let deviceHandler: ((details: object) => boolean) | null = null

/**
 * Evaluates the application's permission handlers before a page is loaded and configures Chromium accordingly, because
 * Chromium cannot call them later. Without handlers everything is granted, as in Electron.
 */
export async function grantPermissions(contents: AskingContents, url: string): Promise<void> {
  const { origin } = new URL(toChromium(url))
  const granted: string[] = []
  // For the handlers, the page is already loaded.
  const asking = Object.create(contents, { getURL: { value: () => url } }) as AskingContents
  for (const [permission, name] of permissions) {
    const checked =
      checkHandler?.(
        asking,
        permission,
        new URL(url).protocol === 'app:' ? `${new URL(url).protocol}//${new URL(url).host}/` : origin,
        {},
      ) ?? true
    const requested =
      requestHandler === null ||
      (await new Promise<boolean>((resolve) =>
        requestHandler?.(asking, permission, resolve, { requestingUrl: url, isMainFrame: true }),
      ))
    if (checked && requested) granted.push(name)
  }
  await test.call('grant', { window: contents.id, origin, granted })
}

const defaultSession = guarded('session', {
  setPermissionRequestHandler: (handler: RequestHandler | null): void => void (requestHandler = handler),
  setPermissionCheckHandler: (handler: CheckHandler | null): void => void (checkHandler = handler),
  setDevicePermissionHandler: (handler: typeof deviceHandler): void => void (deviceHandler = handler),
})

export const session = guarded('session', {
  get defaultSession() {
    needsReady('Session can only be received when app is ready')
    return defaultSession
  },
})
