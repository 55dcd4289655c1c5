import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import type { Desktop } from '../e2e/desktop/desktop.ts'
import { openBrowser } from '../e2e/support/browser.ts'
import { connectToHost, launchForHosts, openFolderThere } from '../e2e/support/remoteWindows.ts'
import { focusEditor, openFile } from '../e2e/support/window.ts'
import { writeSmallBundle } from '../src/main/hosts/remote/testing/smallBundle.ts'
import { startSshServer } from '../src/main/hosts/remote/testing/sshServer.ts'
import { median, type Row } from './row.ts'
import { typeAndMeasure } from './typing/keys.ts'

/** Even, so that each line comes first equally often. */
const rounds = 4
const keys = 60
/** Milliseconds for which the slow line holds each chunk, in each direction. */
const pause = 40

/** Measures typing in a window on a host behind sshd, with a fast and a slow line. */
export async function measure(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-bench-remote-'))
  const server = await startSshServer()
  const browser = await openBrowser()
  let desktop: Desktop | undefined
  try {
    await writeSmallBundle(join(home, 'bundles'))
    await server.addSlowHost('slow', pause)
    const userData = join(home, 'user')
    await mkdir(userData)
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    desktop = await launchForHosts(context, server, home)
    const first = await desktop.page()
    await first.locator('.workbench').waitFor()
    const pages: Record<'box' | 'slow', Page> = {
      box: await openHost(first, desktop, 'box', join(server.home, 'fast')),
      slow: await openHost(first, desktop, 'slow', join(server.home, 'slow')),
    }
    const times = { box: [] as number[], slow: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      for (const line of round % 2 === 0 ? (['box', 'slow'] as const) : (['slow', 'box'] as const)) {
        await pages[line].bringToFront()
        await focusEditor(pages[line])
        times[line].push(...(await typeAndMeasure(pages[line], keys)).toPaint)
      }
    }
    const [fast, slow] = [median(times.box), median(times.slow)]
    return [
      {
        question: `key to paint in a window over SSH whose line holds each chunk ${pause} ms each way, compared with no pause`,
        value: slow / fast,
        unit: '×',
        goal: 1.2,
        how: `sshd on loopback, desktop harness; median of ${rounds} × ${keys} keys in turn: ${slow.toFixed(1)} ms, and ${fast.toFixed(1)} ms without the pause; \`npm run bench -- remote\``,
      },
    ]
  } finally {
    await desktop?.end()
    await browser.close()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** Opens a window on a host, with a TypeScript file. */
async function openHost(page: Page, desktop: Desktop, address: string, folder: string): Promise<Page> {
  await mkdir(folder)
  await writeFile(join(folder, 'a.ts'), 'export const harbour = 1\n'.repeat(1000))
  const shown = await connectToHost(page, desktop, address)
  await openFolderThere(shown, folder)
  await openFile(shown, 'a.ts')
  return shown
}
