import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'

/** The dev server of a real Vite project. */
export interface ViteServer {
  port: number
  close(): Promise<void>
}

/** Lets Vite replace changed components in the page, instead of loading it again. */
export const hotReact = {
  'vite.config.js': `import react from '@vitejs/plugin-react'

export default { plugins: [react()] }
`,
}

/** Files of a small shop in React. */
export const shop = {
  'package.json': '{"name":"shop","type":"module"}',
  'index.html':
    '<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title></head><body><div id="root"></div><script type="module" src="/src/main.jsx"></script></body></html>',
  'src/main.jsx': `import { createRoot } from 'react-dom/client'
import { App } from './App.jsx'
import './style.css'

createRoot(document.getElementById('root')).render(<App />)
`,
  'src/App.jsx': `import { useState } from 'react'

export function App() {
  const [count, setCount] = useState(0)
  const add = () => {
    console.log('added', count + 1)
    setCount(count + 1)
  }
  return (
    <main>
      <h1>Harbour shop</h1>
      <p>Ropes, lamps and charts, delivered to the quay.</p>
      <div className="row">
        <label>
          Size{' '}
          <select>
            <option>Small</option>
            <option>Large</option>
          </select>
        </label>
        <button className="add" onClick={add}>
          Add to cart
        </button>
        <output>{count} in the cart</output>
      </div>
      <button onClick={() => confirm('Empty the cart?') && setCount(0)}>Empty the cart</button>
    </main>
  )
}
`,
  'src/style.css': `body { margin: 0; font: 16px system-ui; background: light-dark(#f7f4ee, #1d2530); color: light-dark(#22303c, #e8eef4); color-scheme: light dark; }
main { max-width: 560px; margin: 0 auto; padding: 32px 24px; }
.row { display: flex; flex-wrap: wrap; gap: 16px; align-items: center; margin: 24px 0; }
button, select { font: inherit; padding: 8px 16px; border-radius: 8px; border: 1px solid #8aa0b2; }
.add { background: #1c6e8c; border-color: #1c6e8c; color: white; }
`,
}

/** Starts Vite in a folder with the project's React, as a person does in a terminal. */
export async function startVite(folder: string): Promise<ViteServer> {
  const modules = path.resolve('node_modules')
  await mkdir(path.join(folder, 'node_modules/@vitejs'), { recursive: true })
  for (const name of ['react', 'react-dom', 'scheduler', '@vitejs/plugin-react'])
    await symlink(path.join(modules, name), path.join(folder, 'node_modules', name))
  const program = path.join(modules, 'vite/bin/vite.js')
  const server = spawn(process.execPath, [program, '--host', '127.0.0.1', '--port', '0'], { cwd: folder })
  return { port: await portOf(server), close: () => end(server) }
}

async function portOf(server: ChildProcess): Promise<number> {
  if (!server.stdout) throw new Error('Vite has no output.')
  for await (const line of createInterface({ input: server.stdout })) {
    // oxlint-disable-next-line no-control-regex -- Vite colors its output.
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line.replaceAll(/\u001b\[\d*m/g, ''))?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error('Vite has ended.')
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill()
  await ended
}
