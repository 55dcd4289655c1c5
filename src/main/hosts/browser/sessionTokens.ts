import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Access to the bridge: an address has a one-time token, which is exchanged for a session secret once. */
export interface Sessions {
  /** Creates a one-time token. An unused previous one becomes invalid. */
  issueToken(): string
  /** Returns the session secret for a token, or null if the token is invalid or used. */
  exchange(token: string): string | null
  check(secret: string): boolean
}

/** 256 random bits, safe in a URL. */
const random = (): string => randomBytes(32).toString('base64url')

/** Secrets exist only in the memory of this process. */
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

/** Compares in constant time. */
function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
