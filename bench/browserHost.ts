import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

/** Starts the built browser host on a folder, without a window and without searching for model servers. */
export function startBrowserHost(folder: string, userData: string): ChildProcess {
  const entry = join(import.meta.dirname, '..', 'out/main/serve.js')
  return spawn(process.execPath, [entry, folder, '--no-open'], {
    env: { ...process.env, TIZONA_USER_DATA: userData, TIZONA_NO_DISCOVERY: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
