import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createFixture } from './fixture.ts'

/**
 * Runs the fixture as a process: `node fixtureServer.ts BEHAVIOR`. Special behaviors: `silent` never responds, `dies`
 * exits immediately, `diesOnce` exits on its first start in a folder, `garbage` prints other lines to standard output,
 * `waits` responds once the file in its second argument exists, `child` starts a process that outlives it, `flood` writes one endless line, `redefined` changes the tool
 * descriptions.
 */
const behaviour = process.argv[2] ?? 'plain'

console.error(`started with ${behaviour}`)
if (behaviour === 'dies' || (behaviour === 'diesOnce' && startsHere() === 1)) {
  console.error('cannot go on: no disk')
  process.exit(3)
} else if (behaviour === 'silent') {
  process.stdin.resume()
} else if (behaviour === 'flood') {
  process.stdin.resume()
  const chunk = 'x'.repeat(1024 * 1024)
  const pour = (): void => void process.stdout.write(chunk, pour)
  pour()
} else {
  if (behaviour === 'garbage') process.stdout.write('Welcome!\n{"half": \n\u0000\u001b[31mred\n[1,2]\n')
  if (behaviour === 'child') {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    writeFileSync(join(process.cwd(), 'child.pid'), String(child.pid))
  }
  if (behaviour === 'waits') while (!existsSync(process.argv[3] ?? '')) await setTimeout(20)
  await createFixture(behaviour === 'redefined').connect(new StdioServerTransport())
}

/** Returns how often the fixture was started in this folder. */
function startsHere(): number {
  const file = join(process.cwd(), 'starts')
  let count = 1
  try {
    count = Number(readFileSync(file, 'utf8')) + 1
  } catch {
    // First start.
  }
  writeFileSync(file, String(count))
  return count
}
