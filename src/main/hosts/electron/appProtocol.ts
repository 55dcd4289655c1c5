import { readFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import type { Protocol } from 'electron'
import { contentTypeOf } from '../contentTypes.ts'
import { securityHeaders } from '../contentSecurity.ts'
import { log } from '../../base/log/log.ts'

/** Where the desktop window lives: an origin of its own, which no file on disk and no site shares. */
export const appScheme = 'app'
export const appHost = 'tizona'
export const appUrl = `${appScheme}://${appHost}/index.html`

/** Must run before the application is ready. */
export function registerAppScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** Whether an address is one of the window's own. */
export function isAppUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed?.protocol === `${appScheme}:` && parsed.host === appHost
}

/** Answers `app://tizona/…` from the built window and from nowhere else. */
export function createAppHandler(folder: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const file = isAppUrl(request.url) && request.method === 'GET' ? fileOf(folder, request.url) : null
    if (file === null) return answer(404, 'There is nothing here.\n', 'text/plain; charset=utf-8')
    try {
      return answer(200, new Uint8Array(await readFile(file)), contentTypeOf(file))
    } catch (error) {
      log.error(request.url, error)
      return answer(404, 'There is nothing here.\n', 'text/plain; charset=utf-8')
    }
  }
}

/** The file an address names, or null where it would lie outside the folder. The build holds no symlinks. */
function fileOf(folder: string, url: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(new URL(url).pathname)
  } catch {
    // A malformed escape names no file.
    return null
  }
  if (path.includes('\0')) return null
  const file = join(folder, path)
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : file
}

function answer(status: number, body: string | Uint8Array<ArrayBuffer>, type: string): Response {
  return new Response(body, { status, headers: { ...securityHeaders, 'Content-Type': type } })
}
