import { ToolError } from '../../shared/errors.ts'
import { withoutEnd } from '../../shared/trimmed.ts'
import { plural } from '../../shared/plural.ts'

const longest = 8192

/**
 * A web address as it may be fetched: http or https, without credentials, without fragment, without a dot at the end of the name
 * (certificates and exempt origins do not know it). Octal, hex and decimal IPv4 forms come out of `URL` as dotted ones.
 * Throws `invalid_arguments`.
 * @param base for the relative addresses of redirects
 */
export function webUrl(text: string, base?: URL): URL {
  const given = text.trim()
  if (given.length > longest)
    throw invalid(
      `The address has ${plural(given.length, 'character')}; ${longest} are the most.`,
      'Send long values in the body.',
    )
  const url = URL.parse(given, base?.href)
  if (url === null) {
    const next = /^[\w-]+(\.[\w-]+)+([/:?#]|$)/.test(given)
      ? `Write "https://${given}".`
      : 'Give a whole address such as https://example.com/page.'
    throw invalid(`"${shown(given)}" is not a web address.`, next)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(
      `"${shown(given)}" begins with "${url.protocol}"; only http: and https: are fetched.`,
      'Read files of the workspace with the file tools.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'The address holds a user name or password, which is refused: it would end up in logs.',
      'Leave it out.',
    )
  }
  if (url.hostname.endsWith('.')) url.hostname = withoutEnd(url.hostname, '.')
  url.hash = ''
  return url
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function invalid(message: string, next: string): ToolError {
  return new ToolError('invalid_arguments', message, next)
}
