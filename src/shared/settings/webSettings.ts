// Validation of web settings for main and the settings page. Does not import zod, which the window does not load.

export const searchProviders = ['duckduckgo', 'searxng', 'brave'] as const

/** Whether a text is an http or https URL without credentials. */
export function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** Whether a text is exactly an origin: scheme, host and port as in `URL.origin`. */
export function isWebOrigin(text: string): boolean {
  return isWebUrl(text) && new URL(text).origin === text
}
