const hidden = '[hidden]'

/** Shorter values are not redacted, because they often occur in ordinary text. */
const minSecretLength = 6

const secrets = new Set<string>()

/** Redacts a value, such as an API key, in everything logged from now on. */
export function hideSecret(value: string): void {
  if (value.length >= minSecretLength) secrets.add(value)
}

/** Patterns of secrets whose value is unknown. Each matches in linear time. */
const patterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Authorization: Bearer …
  [/\b(bearer|basic)[ \t][^\s"',;]{6,}/gi, `$1 ${hidden}`],
  // Headers whose whole value is a secret.
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?[ \t]?[:=][ \t]?["']?)[^"'\n]+/gi, `$1$2${hidden}`],
  // "api_key": "…", password=…, --token …, ?access_token=…
  [
    /((?:api|access|auth|private|secret|session|refresh)[-_]?(?:key|token)|client[-_]?secret|passw(?:or)?d|secret)(["']?[ \t]?[:=][ \t]?["']?|[ \t])[^\s"',;&]{4,}/gi,
    `$1$2${hidden}`,
  ],
  [/([?&#]|--)(key|token)([=\t ])[^\s"',;&]{4,}/gi, `$1$2$3${hidden}`],
  // Keys with a provider's prefix.
  [/\b(sk|pk|rk|gsk|hf|xai|nvapi|pplx|ghp|gho|ghs|github_pat|glpat|xox[abprs])([-_])[\w-]{8,}/g, `$1$2${hidden}`],
  [/\b(AIza|AKIA)[\w-]{12,}/g, `$1${hidden}`],
  // https://user:password@host
  [/(:\/\/)[^\s/@]+@/g, `$1${hidden}@`],
]

/** Redacts only the secrets that this process has read, not text that looks like a key. */
export function redactKnown(text: string): string {
  let clean = text
  // Longest first, so that a secret containing another one is replaced whole.
  for (const secret of [...secrets].toSorted((a, b) => b.length - a.length)) clean = clean.replaceAll(secret, hidden)
  return clean
}

/** Redacts API keys, tokens, passwords and credentials in URLs. */
export function redact(text: string): string {
  let clean = redactKnown(text)
  for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement)
  return clean
}
