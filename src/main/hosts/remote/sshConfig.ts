import { glob } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { readSmallFile } from '../../base/smallFile.ts'

/** Limits of what is read for the list of hosts. */
const maxFiles = 64
const maxDepth = 8
const maxHosts = 1000

/**
 * Returns the names of `Host` in an SSH configuration and the files that it includes, in their order. Patterns and
 * negations are left out. Files that cannot be read are skipped, as ssh does with those of `Include`.
 */
export async function sshConfigHosts(
  file = process.env['TIZONA_SSH_CONFIG'] || join(homedir(), '.ssh', 'config'),
): Promise<string[]> {
  const hosts = new Set<string>()
  let files = 0

  async function read(path: string, depth: number): Promise<void> {
    if (++files > maxFiles || depth > maxDepth) return
    const text = await readSmallFile(path)
    if (text === null) return
    for (const line of text.split('\n')) {
      const [keyword = '', ...words] = wordsOf(line)
      if (/^host$/i.test(keyword)) {
        for (const word of words) if (!/[*?!]/.test(word) && hosts.size < maxHosts) hosts.add(word)
      } else if (/^include$/i.test(keyword)) {
        for (const word of words) await include(word, depth)
      }
    }
  }

  async function include(pattern: string, depth: number): Promise<void> {
    const home = pattern.replace(/^~(?=\/)/, homedir())
    // Relative to ~/.ssh, whatever file includes it (ssh_config(5)).
    const path = isAbsolute(home) ? home : join(homedir(), '.ssh', home)
    const found: string[] = []
    for await (const each of glob(path)) if (found.push(each) >= maxFiles) break
    for (const each of found.toSorted()) await read(each, depth + 1)
  }

  await read(file, 0)
  return [...hosts]
}

/** Splits a line of the configuration into words. The keyword may be followed by `=`. */
function wordsOf(line: string): string[] {
  const text = line.trim()
  if (text.startsWith('#')) return []
  const withoutEquals = text.replace(/^([a-z]+)\s*=\s*/i, '$1 ')
  const words: string[] = []
  for (const [, quoted, plain] of withoutEquals.matchAll(/"([^"]*)"|(\S+)/g)) {
    // A comment.
    if (plain?.startsWith('#')) break
    words.push(quoted ?? plain ?? '')
  }
  return words
}
