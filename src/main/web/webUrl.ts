import { ToolError } from '../../shared/errors.ts'
import { trimEndCharacters } from '../../shared/trimEnd.ts'
import { plural } from '../../shared/plural.ts'

const maxUrlLength = 8192

/**
 * A web address as it may be fetched: http or https, without credentials, without fragment, without a dot at the end of the name
 * (certificates and exempt origins do not know it). Octal, hex and decimal IPv4 forms come out of `URL` as dotted ones.
 * Throws `invalid_arguments`.
 * @param base for the relative addresses of redirects
 */
export function webUrl(text: string, base?: URL): URL {
  const trimmed = text.trim()
  if (trimmed.length > maxUrlLength)
    throw invalid(
      `The address has ${plural(trimmed.length, 'character')}; ${maxUrlLength} are the most.`,
      'Send long values in the body.',
    )
  const url = URL.parse(trimmed, base?.href)
  if (url === null) {
    const next = /^[\w-]+(\.[\w-]+)+([/:?#]|$)/.test(trimmed)
      ? `Write "https://${trimmed}".`
      : 'Give a whole address such as https://example.com/page.'
    throw invalid(`"${truncate(trimmed)}" is not a web address.`, next)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(
      `"${truncate(trimmed)}" begins with "${url.protocol}"; only http: and https: are fetched.`,
      'Read files of the workspace with the file tools.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'The address holds a user name or password, which is refused: it would end up in logs.',
      'Leave it out.',
    )
  }
  if (url.hostname.endsWith('.')) url.hostname = trimEndCharacters(url.hostname, '.')
  url.hash = ''
  return url
}

function truncate(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function invalid(message: string, next: string): ToolError {
  return new ToolError('invalid_arguments', message, next)
}
