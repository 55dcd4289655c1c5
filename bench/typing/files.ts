import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns the text in the first line of a file, which shows that a window has opened it. */
export const marker = (name: string): string => `marker of ${name}`

/** Creates a folder with two files of 10,000 lines and one of 50 MB. */
export async function makeFolder(): Promise<{ root: string; remove(): Promise<void> }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-typing-')))
  for (const name of ['large.ts', 'next.ts']) await writeFile(join(root, name), source(name, 10_000))
  await writeFile(
    join(root, 'huge.log'),
    `${marker('huge.log')}\n${'2026-01-01T00:00:00Z info the harbour office is open today\n'.repeat(900_000)}`.slice(
      0,
      50 * 1024 * 1024,
    ),
  )
  return { root, remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }) }
}

function source(name: string, lines: number): string {
  const functions: string[] = [`// ${marker(name)}`]
  for (let index = 0; functions.length < lines; index++) {
    functions.push(
      `export function berth${index}(ship: { length: number; draught: number }): number {`,
      `  const free = ship.length * ${index % 97} - ship.draught`,
      `  return free > ${index} ? free : ${index}`,
      '}',
      '',
    )
  }
  return functions.slice(0, lines).join('\n')
}
