import type { Frame, Page } from 'playwright-core'
import { ToolError } from '../../shared/errors.ts'
import { isLoopback, type Reach } from './reach.ts'

// Pages of servers of the folder, the only ones that a model may use.

const notOwn = (): ToolError =>
  new ToolError(
    'refused',
    'Only pages that this folder serves can be used. Other pages can only be read.',
    'Read it with browser_snapshot.',
  )

function isOwnAddress(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && isLoopback(url)
}

/**
 * Checks that a frame belongs to a server of the folder. One without an address belongs to the frame around it.
 * @throws ToolError refused
 */
export async function checkOwnFrame(frame: Frame | null): Promise<void> {
  for (let each = frame; each; each = each.parentFrame()) {
    // Playwright learns the address of a new frame late. A page cannot replace `location`.
    const addresses = [each.url(), String(await each.evaluate('location.href'))].filter((url) => /^https?:/.test(url))
    if (!addresses.every(isOwnAddress)) throw notOwn()
    if (addresses.length > 0) return
  }
  throw notOwn()
}

/** The file that a server of this folder probably sends, so that rules for secret files apply. */
export function servedPath(url: URL): string[] {
  if (!isLoopback(url)) return []
  try {
    const file = decodeURIComponent(url.pathname).replace(/^\/+/, '')
    return file === '' ? [] : [file]
  } catch {
    return []
  }
}

/** Returns the first secret file that a frame shows. A page can go to one by itself. */
function shownSecret(page: Page | undefined, isSecret: (path: string) => boolean): string | undefined {
  return page
    ?.frames()
    .flatMap((frame) => {
      const url = URL.parse(frame.url())
      return url ? servedPath(url) : []
    })
    .find(isSecret)
}

/** @throws ToolError refused for a page of another host, or while one is allowed */
export function checkOwn(page: Page, reach: Reach): void {
  if (reach.isOpen() || !isOwnAddress(page.url())) throw notOwn()
}

/** Keeps the text of secret files that a page shows from models. */
export function createSecretCheck(isSecret: (path: string) => boolean) {
  let allowed: readonly string[] = []
  const shown = (page: Page | undefined): string | undefined =>
    shownSecret(page, (path) => isSecret(path) && !allowed.includes(path))

  /** @throws ToolError approval_required if the page shows a secret file that the user has not approved */
  function check(page: Page | undefined): void {
    const secret = shown(page)
    if (secret !== undefined)
      throw new ToolError(
        'approval_required',
        `The page shows the secret file ${secret}, so its text was not sent to the model.`,
        'Open it with browser_open, which requires approval, or open another page.',
      )
  }

  return {
    check,
    isShown: (page: Page | undefined): boolean => shown(page) !== undefined,
    /** @param paths files that the user has allowed a model to open, instead of those before */
    allow(paths: readonly string[]): void {
      allowed = paths
    },
    /** Runs a reader. The page may go elsewhere meanwhile. */
    async reading<T>(page: Page, reader: (page: Page) => Promise<T>): Promise<T> {
      check(page)
      const value = await reader(page)
      check(page)
      return value
    },
  }
}
