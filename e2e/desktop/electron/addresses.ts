/**
 * Chromium does not know an application's own schemes, so a page of `app://tizona/x` is loaded as `http://tizona.app.localhost:PORT/x`:
 * an origin of its own as well, and trustworthy, because names under `localhost` are this machine. Everything that the application sees is
 * translated back.
 */
let port = 0

/** From here on addresses can be translated. @param listening the port where the harness answers */
export function setPort(listening: number): void {
  port = listening
}

/** The address under which Chromium finds what the application calls `url`. Web addresses stay as they are. */
export function toChromium(url: string): string {
  const parsed = new URL(url)
  if (['http:', 'https:', 'about:', 'data:', 'file:', 'blob:', 'devtools:'].includes(parsed.protocol)) return url
  return `http://${parsed.host}.${parsed.protocol.slice(0, -1)}.localhost:${port}${parsed.pathname}${parsed.search}${parsed.hash}`
}

/** The address as the application knows it. */
export function toApplication(url: string): string {
  const parsed = URL.parse(url)
  const own =
    parsed === null || parsed.port !== String(port)
      ? null
      : /^(?<host>.+)\.(?<scheme>[^.]+)\.localhost$/.exec(parsed.hostname)
  if (parsed === null || own?.groups === undefined) return url
  return `${own.groups['scheme']}://${own.groups['host']}${parsed.pathname}${parsed.search}${parsed.hash}`
}
