import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { SecureContext } from 'node:tls'
import { ModelError } from '../modelClient.ts'

/** Maximum size of a certificate file, in bytes. Without a limit, a wrong path could fill the memory. */
const maxFileSize = 4 * 1024 * 1024
const marker = '-----BEGIN CERTIFICATE-----'

/**
 * The context for the latest file. Loading hundreds of certificate authorities takes tens of milliseconds, too long for
 * each request.
 */
let cachedContext: { own: string | undefined; context: SecureContext } | undefined

/**
 * Returns the certificate authorities to trust over TLS: Node's own, the operating system's (which Node does not read
 * by default), and those in a file that the user sets.
 * @param file an absolute path
 * @throws ModelError `unreachable` if the file cannot be used
 */
export async function trustedCertificates(file: string | undefined): Promise<SecureContext> {
  const own = file ? await pemText(file) : undefined
  // Loaded on first use: most model servers are reached without TLS, and loading it would delay each start.
  const { createSecureContext, getCACertificates } = await import('node:tls')
  if (!cachedContext || cachedContext.own !== own) {
    const ca = new Set([
      ...getCACertificates('default'),
      ...getCACertificates('system'),
      ...(own === undefined ? [] : [own]),
    ])
    cachedContext = { own, context: createSecureContext({ ca: [...ca] }) }
  }
  return cachedContext.context
}

async function pemText(file: string): Promise<string> {
  const fail = (message: string, cause?: unknown) =>
    new ModelError('unreachable', message, "Correct the path under Advanced in the endpoint's settings.", { cause })
  if (!isAbsolute(file)) throw fail(`The path of the certificate file ${file} is not absolute.`)
  let text: string
  try {
    const stats = await stat(file)
    // Reading a pipe or a device may never end.
    if (!stats.isFile()) throw fail(`The certificate file ${file} is not a regular file.`)
    if (stats.size > maxFileSize) throw fail(`The certificate file ${file} is larger than 4 MiB.`)
    text = await readFile(file, 'utf8')
    // Throws if the certificate is malformed. A secure context ignores it silently.
    if (text.includes(marker)) new X509Certificate(text)
  } catch (error) {
    if (error instanceof ModelError) throw error
    throw fail(
      `The certificate file ${file} cannot be used (${error instanceof Error ? error.message : String(error)}).`,
      error,
    )
  }
  if (!text.includes(marker)) throw fail(`The certificate file ${file} does not contain a certificate in PEM format.`)
  return text
}
