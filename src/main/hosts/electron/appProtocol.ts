import { readFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import type { Protocol } from 'electron'
import { contentTypeOf, securityHeadersOf } from '../contentHeaders.ts'
import { log } from '../../base/log/log.ts'

/** Scheme of the desktop window's origin, which no file and no website shares. */
export const appScheme = 'app'
const appHost = 'tizona'
export const appUrl = `${appScheme}://${appHost}/index.html`

/** Registers the scheme. Call this before the application is ready. */
export function registerAppScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** Whether a URL has the window's origin. */
export function isAppUrl(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed?.protocol === `${appScheme}:` && parsed.host === appHost
}

/** Creates the handler for `app://tizona/…`, which only serves files of the built window. */
export function createAppHandler(folder: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const file = isAppUrl(request.url) && request.method === 'GET' ? fileOf(folder, request.url) : null
    if (file === null) return answer(404, 'Not found.\n', 'text/plain; charset=utf-8')
    try {
      return answer(200, new Uint8Array(await readFile(file)), contentTypeOf(file), file)
    } catch (error) {
      log.error(request.url, error)
      return answer(404, 'Not found.\n', 'text/plain; charset=utf-8')
    }
  }
}

/**
 * Returns the file for a URL, or null if it is outside the folder. Does not check symlinks, because the build has none.
 */
function fileOf(folder: string, url: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(new URL(url).pathname)
  } catch {
    // The URL has a malformed escape sequence.
    return null
  }
  if (path.includes('\0')) return null
  const file = join(folder, path)
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? null : file
}

/** @param file the file of the body; '' if it is a message */
function answer(status: number, body: string | Uint8Array<ArrayBuffer>, type: string, file = ''): Response {
  const headers = { ...securityHeadersOf(file.replaceAll('\\', '/')), 'Content-Type': type }
  return new Response(body, { status, headers })
}
