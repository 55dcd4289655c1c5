/**
 * Chromium does not know an application's own schemes, so a page of `app://tizona/x` is loaded as
 * `http://tizona.app.localhost:PORT/x`: an origin of its own as well, and trustworthy, because names under `localhost`
 * are this machine. Everything that the application sees is translated back.
 */
let port = 0

/** Sets the port of the harness's server, which translating addresses requires. */
export function setPort(listening: number): void {
  port = listening
}

/** Converts an address of the application to the one that Chromium loads. Web addresses are unchanged. */
export function toChromium(url: string): string {
  const parsed = new URL(url)
  if (['http:', 'https:', 'about:', 'data:', 'file:', 'blob:', 'devtools:'].includes(parsed.protocol)) return url
  return `http://${parsed.host}.${parsed.protocol.slice(0, -1)}.localhost:${port}${parsed.pathname}${parsed.search}${parsed.hash}`
}

/** Converts an address in Chromium to the one that the application uses. */
export function toApplication(url: string): string {
  const parsed = URL.parse(url)
  const own =
    parsed === null || parsed.port !== String(port)
      ? null
      : /^(?<host>.+)\.(?<scheme>[^.]+)\.localhost$/.exec(parsed.hostname)
  if (parsed === null || own?.groups === undefined) return url
  return `${own.groups['scheme']}://${own.groups['host']}${parsed.pathname}${parsed.search}${parsed.hash}`
}
