import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Version of code-server, VS Code in the browser. Not a dependency: installed on demand in the ignored `.cache`. */
const version = '4.139.1'
const home = join(import.meta.dirname, '..', '..', '.cache', 'code-server')
const entry = join(home, 'node_modules', 'code-server', 'out', 'node', 'entry.js')
/** Time limit of the installation in milliseconds. It compiles native modules. */
const installTimeout = 20 * 60_000

/** Its install scripts need the Node version of this process, not one of the machine. */
const environment = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` }

/** Reason why VS Code cannot be measured. */
export class NotInstalled extends Error {}

export interface CodeServer {
  address: string
  /** Its first process. */
  pid: number
  close(): Promise<void>
}

/** Installs code-server if necessary. @throws NotInstalled if npm fails */
async function install(): Promise<void> {
  if (existsSync(entry)) return
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'package.json'), '{ "private": true }\n')
  const install = await exitCode(
    spawn('npm', ['install', `code-server@${version}`, '--no-audit', '--no-fund'], {
      cwd: home,
      stdio: 'ignore',
      env: environment,
      timeout: installTimeout,
    }),
  )
  if (install !== 0 || !existsSync(entry))
    throw new NotInstalled(`npm could not install code-server ${version} (on Debian it needs libkrb5-dev)`)
  // Depending on its settings, npm skips install scripts, which VS Code's server needs.
  const vscode = join(home, 'node_modules', 'code-server', 'lib', 'vscode', 'node_modules')
  if (existsSync(vscode)) return
  const script = join(home, 'node_modules', 'code-server', 'postinstall.sh')
  const built = await exitCode(
    spawn('sh', [script], {
      cwd: dirname(script),
      stdio: 'ignore',
      env: { ...environment, npm_config_user_agent: 'npm' },
      timeout: installTimeout,
    }),
  )
  if (built !== 0) throw new NotInstalled(`the install script of code-server ${version} failed with ${built}`)
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = (await Promise.race([once(child, 'close'), once(child, 'error').then(() => [-1])])) as [number | null]
  return code
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

/** Starts code-server on a folder, without telemetry, updates or a welcome page. @throws NotInstalled */
export async function startCodeServer(folder: string, userData: string): Promise<CodeServer> {
  await install()
  const port = await freePort()
  await mkdir(join(userData, 'User'), { recursive: true })
  const settings = {
    'workbench.startupEditor': 'none',
    'telemetry.telemetryLevel': 'off',
    'security.workspace.trust.enabled': false,
    'chat.disableAIFeatures': true,
    'files.autoSave': 'off',
    'workbench.editorLargeFileConfirmation': 1024,
  }
  await writeFile(join(userData, 'User', 'settings.json'), JSON.stringify(settings))
  const args = [
    entry,
    '--auth',
    'none',
    '--bind-addr',
    `127.0.0.1:${port}`,
    '--user-data-dir',
    userData,
    '--extensions-dir',
    join(userData, 'extensions'),
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-workspace-trust',
    folder,
  ]
  // A process group of its own, because its child process would outlive it.
  const child = spawn(process.execPath, args, { stdio: 'ignore', detached: true })
  const address = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`
  const close = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    process.kill(-child.pid, 'SIGKILL')
    await exited
  }
  for (let tries = 0; tries < 1200; tries++) {
    if (child.exitCode !== null) throw new NotInstalled(`code-server ended with ${child.exitCode} at its start`)
    const answered = await fetch(address).then(
      (response) => response.ok,
      () => false,
    )
    if (answered && child.pid !== undefined) return { address, pid: child.pid, close }
    await delay(50)
  }
  await close()
  throw new NotInstalled('code-server did not answer within a minute')
}
