/** Names of files with keys and passwords. */
const secretNames = [
  /^\.env(?:\.(?!example$|sample$|template$|defaults$).*)?$/,
  /^\.netrc$|^_netrc$|^\.pgpass$|^\.git-credentials$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$/,
  /^(?:credentials|service-account.*)\.json$/,
]

/** Whether a file holds secrets, by its name, which is compared without case. Pure. */
export function isSecretFile(file: string): boolean {
  const name = (file.split('/').at(-1) ?? '').toLowerCase()
  return secretNames.some((pattern) => pattern.test(name))
}
