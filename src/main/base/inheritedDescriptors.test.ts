import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { recordTerminalOpening } from './inheritedDescriptors.ts'
import { startProcess } from './startProcess.ts'

it.runIf(process.platform === 'linux')(
  'a program starts without the start-up files of the shell that closes descriptors',
  async () => {
    const folder = await temporaryFolder({ '.bashrc': 'touch "$HOME/read"\n', rc: 'touch "$HOME/read"\n' })
    recordTerminalOpening()
    // Without SHLVL, as when the desktop starts Tizona, bash takes the socket at its standard input for a remote shell.
    const env = { HOME: folder.root, PATH: process.env['PATH'], BASH_ENV: path.join(folder.root, 'rc') }
    const child = startProcess('true', [], { startedBy: 'tizona', env })
    expect(await once(child, 'close')).toEqual([0, null])
    expect(existsSync(path.join(folder.root, 'read'))).toBe(false)
    await folder.remove()
  },
)
