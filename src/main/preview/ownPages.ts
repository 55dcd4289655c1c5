import type { Frame } from 'playwright-core'
import { ToolError } from '../../shared/errors.ts'
import { isLoopback } from './reach.ts'

// Pages of servers of the folder, the only ones that a model may use.

export const notOwn = (): ToolError =>
  new ToolError(
    'refused',
    'Only pages of servers of this folder can be used. Others can be looked at.',
    'Read it with browser_snapshot.',
  )

export function isOwnAddress(address: string): boolean {
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
