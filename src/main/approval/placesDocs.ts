import {
  protectedKinds,
  protectedPlaces,
  secretKinds,
  secretPlaces,
  type Patterns,
  type ProtectedKind,
  type SecretKind,
} from './protectedPlaces.ts'

/** Generates the tables of protected and secret places in docs/security.md. A test keeps them in sync. */
export function placesDocs(): string {
  const kinds = Object.keys(protectedPlaces) as ProtectedKind[]
  const secrets = Object.keys(secretPlaces) as SecretKind[]
  return [
    '| protected | why |',
    '|---|---|',
    ...kinds.map((kind) => `| ${list(protectedPlaces[kind])} | ${protectedKinds[kind]} |`),
    '',
    '| secret | but not | why |',
    '|---|---|---|',
    ...secrets.map((kind) => {
      const { patterns, except = '' } = secretPlaces[kind]
      return `| ${list(patterns)} | ${list(except)} | ${secretKinds[kind]} |`
    }),
  ].join('\n')
}

const list = (patterns: Patterns): string =>
  patterns
    .split(' ')
    .filter((pattern) => pattern !== '')
    .map((pattern) => `\`${pattern}\``)
    .join(' ')
