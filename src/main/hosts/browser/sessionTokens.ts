import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Who may open the bridge: an address carries a one-time token, the token is exchanged for a secret once. */
export interface Sessions {
  /** A new one-time token; one that was not used yet is void from now on. */
  issueToken(): string
  /** The session secret for a token, or null when the token is wrong or was used. */
  exchange(token: string): string | null
  check(secret: string): boolean
}

/** 256 random bits, safe in a URL. */
const random = (): string => randomBytes(32).toString('base64url')

/** Secrets live as long as the process and are never written anywhere. */
export function createSessions(): Sessions {
  let token: string | null = null
  const secrets: string[] = []
  return {
    issueToken() {
      token = random()
      return token
    },
    exchange(offered) {
      if (token === null || !equal(offered, token)) return null
      token = null
      const secret = random()
      secrets.push(secret)
      return secret
    },
    check: (offered) => secrets.some((secret) => equal(offered, secret)),
  }
}

/** Compares in a time that does not depend on where two values differ. */
function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
