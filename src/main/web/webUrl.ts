import { ToolError } from '../../shared/errors.ts'
import { trimEndCharacters } from '../../shared/text/trimEnd.ts'
import { plural } from '../../shared/text/plural.ts'
import { truncate } from '../../shared/text/truncate.ts'

const maxUrlLength = 8192

/**
 * Parses and normalizes an address: http or https, no credentials, no fragment, no trailing dot in the host (which
 * certificates and exempt origins would not match). `URL` converts octal, hexadecimal and decimal IPv4 forms.
 * @throws ToolError invalid_arguments
 * @param base for relative addresses in redirects
 */
export function webUrl(text: string, base?: URL): URL {
  const trimmed = text.trim()
  if (trimmed.length > maxUrlLength)
    throw invalid(
      `The address is ${plural(trimmed.length, 'character')} long; the maximum is ${maxUrlLength}.`,
      'Send long values in the body.',
    )
  const url = URL.parse(trimmed, base?.href)
  if (url === null) {
    const next = /^[\w-]+(\.[\w-]+)+([/:?#]|$)/.test(trimmed)
      ? `Write "https://${trimmed}".`
      : 'Provide a full address such as https://example.com/page.'
    throw invalid(`"${truncate(trimmed, 200)}" is not a web address.`, next)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(
      `"${truncate(trimmed, 200)}" starts with "${url.protocol}"; only http: and https: are supported.`,
      'Read workspace files with the file tools.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('The address contains a user name or password, which could end up in logs.', 'Remove it.')
  }
  if (url.hostname.endsWith('.')) url.hostname = trimEndCharacters(url.hostname, '.')
  url.hash = ''
  return url
}

function invalid(message: string, next: string): ToolError {
  return new ToolError('invalid_arguments', message, next)
}
