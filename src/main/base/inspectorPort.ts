/** Milliseconds to wait for a response. */
const probeTimeout = 1000

/**
 * Whether a program at a port of this machine lets others evaluate code in it, as Node and Chromium do for debugging.
 * @returns undefined if it does not respond in HTTP
 */
export async function isInspector(port: number, host = '127.0.0.1'): Promise<boolean | undefined> {
  try {
    const response = await fetch(`http://${host}:${port}/json/version`, { signal: AbortSignal.timeout(probeTimeout) })
    return (await response.text()).includes('Protocol-Version')
  } catch {
    return undefined // another protocol, or not ready
  }
}
