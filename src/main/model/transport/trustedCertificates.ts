import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { ModelError } from '../clients/modelClient.ts'

/** No bundle of authorities is larger; without a bound a wrong path could fill the memory. Bytes. */
const cap = 4 * 1024 * 1024
const marker = '-----BEGIN CERTIFICATE-----'

/** Reading hundreds of authorities takes tens of milliseconds: not for every request. The latest file only. */
let made: { own: string | undefined; context: SecureContext } | undefined

/**
 * Whom to trust for an https server: the authorities that come with Node, those of the operating system, which Node does
 * not look at by itself, and those of a file the user names.
 * @param file an absolute path
 * @throws ModelError `unreachable` when the file cannot be used
 */
export async function trustedCertificates(file: string | undefined): Promise<SecureContext> {
  const own = file ? await pemText(file) : undefined
  if (!made || made.own !== own) {
    const ca = new Set([
      ...getCACertificates('default'),
      ...getCACertificates('system'),
      ...(own === undefined ? [] : [own]),
    ])
    made = { own, context: createSecureContext({ ca: [...ca] }) }
  }
  return made.context
}

async function pemText(file: string): Promise<string> {
  const fail = (why: string, cause?: unknown) =>
    new ModelError(
      'unreachable',
      `The certificate file ${file} ${why}.`,
      "Correct the path under Advanced in the endpoint's settings.",
      { cause },
    )
  if (!isAbsolute(file)) throw fail('is not an absolute path')
  let text: string
  try {
    if ((await stat(file)).size > cap) throw fail('is larger than 4 MiB')
    text = await readFile(file, 'utf8')
    // A context passes over what it cannot read, and the server would look untrusted.
    if (text.includes(marker)) new X509Certificate(text)
  } catch (error) {
    if (error instanceof ModelError) throw error
    throw fail(`cannot be used (${error instanceof Error ? error.message : String(error)})`, error)
  }
  if (!text.includes(marker)) throw fail('holds no certificate in PEM format')
  return text
}
