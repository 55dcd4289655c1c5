// What the settings page needs of the web settings without bringing zod into the window.

export const searchProviders = ['duckduckgo', 'searxng', 'brave'] as const

/** An http or https address without credentials. */
export function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** Scheme, host and port as `URL.origin` writes them, and nothing else. */
export function isWebOrigin(text: string): boolean {
  return isWebUrl(text) && new URL(text).origin === text
}
