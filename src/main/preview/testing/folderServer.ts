import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startProcessWithoutInput } from '../../base/startProcess.ts'

/** A folder with a server that runs in it, as a dev server does. */
export interface FolderServer {
  root: string
  port: number
  url: string
  /** Requests that reached the server. */
  requests: string[]
  write(path: string, text: string): Promise<void>
  close(): Promise<void>
}

/** Serves the files of the folder, prints each request, and answers `/big` without end. */
const server = `
const http = require('http'), fs = require('fs'), path = require('path')
const types = { '.html': 'text/html', '.js': 'text/javascript' }
http.createServer((request, response) => {
  console.log(request.method + ' ' + request.url)
  if (request.url === '/big') {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const chunk = Buffer.alloc(1 << 20, 'x')
    const more = () => { while (!response.destroyed && response.write(chunk)); }
    response.on('drain', more)
    return more()
  }
  if (request.url === '/odd') return request.socket.end('HTTP/1.1 000 OK\\r\\ncontent-length: 0\\r\\n\\r\\n')
  if (request.url === '/away') { response.writeHead(302, { location: 'http://away.test/' }); return response.end() }
  const file = path.join(process.cwd(), request.url.split('?')[0])
  fs.readFile(file, (error, text) => {
    response.writeHead(error ? 404 : 200, { 'content-type': types[path.extname(file)] || 'application/octet-stream' })
    response.end(text)
  })
}).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port) })
`

export async function startFolderServer(files: Readonly<Record<string, string>>): Promise<FolderServer> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-preview-')))
  const write = (path: string, text: string) => writeFile(join(root, path), text)
  for (const [path, text] of Object.entries(files)) await write(path, text)
  const child = startProcessWithoutInput(process.execPath, ['-e', server], { cwd: root, startedBy: 'tizona' })
  const requests: string[] = []
  const port = await new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('port ')) resolve(Number(line.slice(5)))
      else requests.push(line)
    })
  })
  return {
    root,
    port,
    url: `http://localhost:${port}/`,
    requests,
    write,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      await rm(root, { recursive: true, force: true })
    },
  }
}
