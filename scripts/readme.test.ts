import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('scripts/README.md has one row for each script', () => {
  const scripts = readdirSync('scripts', { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(mjs|ts)$/.test(path) && !/\.test\.(mjs|ts)$/.test(path))
  const rows = readFileSync('scripts/README.md', 'utf8').matchAll(/^\| (\S+\.(?:mjs|ts)) \| \S/gm)
  expect(new Set([...rows].map(([, path]) => path))).toEqual(new Set(scripts))
})
