import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from '@playwright/test'
import { expect, type LaunchOptions } from './app.ts'

/** Runs git in one folder. @returns its output */
export type Git = (...args: string[]) => Promise<string>

/** Environment for git without the developer's configuration. */
const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }

/** Runs the git of the machine without the developer's configuration. */
export function gitIn(folder: string): Git {
  return async (...args) => (await promisify(execFile)('git', args, { cwd: folder, env: environment })).stdout
}

/** Makes the repository of a folder ready for commits. */
export async function identify(git: Git, name = 'Ada'): Promise<void> {
  await git('config', 'user.name', name)
  await git('config', 'user.email', `${name.toLowerCase()}@example.org`)
}

type Write = (name: string, text: string | Buffer) => Promise<void>

/** Returns a function that writes files of a folder. */
export function writeIn(folder: string): Write {
  return async (name, text) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Starts with a repository that has one commit, and then runs `change`. */
export function repository(
  files: Record<string, string>,
  change: (git: Git, write: Write, workspace: string) => Promise<unknown> = async () => {},
): LaunchOptions {
  return {
    files,
    settings: { theme: 'system' },
    async prepare(workspace) {
      const git = gitIn(workspace)
      await git('init', '-q', '-b', 'main')
      await identify(git)
      await git('add', '.')
      await git('commit', '-q', '-m', 'Begin')
      await change(git, writeIn(workspace), workspace)
    },
  }
}

/** Creates a bare repository beside the workspace and adds it as the remote `origin`. */
export async function addRemote(git: Git, workspace: string): Promise<void> {
  await git('init', '-q', '--bare', '-b', 'main', join(workspace, '../remote.git'))
  await git('remote', 'add', 'origin', '../remote.git')
}

/** Clones the remote, where somebody else works. @returns a function that runs git in the clone */
export async function colleague(
  workspace: string,
): Promise<Git & { commit(file: string, text: string): Promise<void> }> {
  const folder = join(workspace, '../colleague')
  await gitIn(join(workspace, '..'))('clone', '-q', 'remote.git', 'colleague')
  const git = gitIn(folder)
  await identify(git, 'Bo')
  return Object.assign(git, {
    /** Commits a file and pushes it. */
    async commit(file: string, text: string) {
      await git('pull', '-q', '--rebase')
      await writeIn(folder)(file, text)
      await git('add', '-A')
      await git('commit', '-q', '-m', `Bo changes ${file}`)
      await git('push', '-q')
    },
  })
}

/**
 * Serves the repositories of a folder over HTTP to those who know the password, with git's own program for it.
 * @returns the address, and a function that ends the server
 */
export async function serveRepositories(
  folder: string,
  { user, password }: { user: string; password: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const server = createServer((request, response) => {
    if (request.headers.authorization !== expected)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="Harbour"' }).end('no such user\n')
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'http.receivepack',
        GIT_CONFIG_VALUE_0: 'true',
        REQUEST_METHOD: request.method,
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        ...(request.headers['content-encoding'] && { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
        ...(request.headers['git-protocol'] && { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
        REMOTE_USER: user,
        REMOTE_ADDR: '127.0.0.1',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    request.pipe(backend.stdin)
    // The program may answer before it has read everything.
    backend.stdin.on('error', () => {})
    const chunks: Buffer[] = []
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    backend.once('close', () => {
      const output = Buffer.concat(chunks)
      const end = output.indexOf('\r\n\r\n')
      const headers = output
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ', 2) as [string, string])
      const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10)
      response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
      response.end(output.subarray(end + 4))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Locates rows of the source control view. */
export const changed = (page: Page, name: RegExp): Locator =>
  page.getByRole('tree', { name: 'Changed files' }).getByRole('treeitem', { name })

/** Shows the source control view, with the focus in the message. */
export async function showGit(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+g')
  await expect(page.getByRole('textbox', { name: 'Commit message' })).toBeFocused()
}

/** Chooses an action in the menu of the source control view. */
export async function gitMenu(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'More actions', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Answers the dialog that prompts for a name, with Enter. */
export async function enterName(page: Page, title: string, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.getByRole('textbox').fill(name)
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
}

/** Chooses a row of a quick pick by the start of its name. */
export async function pick(page: Page, title: string, name: RegExp): Promise<void> {
  await page.getByRole('listbox', { name: title }).getByRole('option', { name }).click()
}

/** Types a commit message and commits with the key. */
export async function commitWith(page: Page, message: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Commit message' }).fill(message)
  await page.keyboard.press('Control+Enter')
}

/** Locates the notice that contains a text. */
export const notice = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('status').or(page.getByRole('alert')).filter({ hasText: text }).last()
