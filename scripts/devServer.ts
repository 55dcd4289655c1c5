import react from '@vitejs/plugin-react'
import { createServer } from 'vite'

const [windowPort, mainPort] = process.argv.slice(2).map(Number)
const main = `127.0.0.1:${mainPort}`

/**
 * Vite's development server for the window. Forwards requests to the browser host with unchanged Host and Origin
 * headers, as through an `ssh -L` tunnel, so that its checks apply here too.
 */
const server = await createServer({
  configFile: false,
  root: 'src/renderer',
  plugins: [
    react(),
    {
      name: 'tizona-dev-csp',
      transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
    },
  ],
  worker: { format: 'es' },
  server: {
    host: '127.0.0.1',
    port: windowPort,
    strictPort: true,
    // Exact patterns, because modules of the window have names that start the same.
    proxy: { '^/(session$|text/)': { target: `http://${main}` }, '^/bridge$': { target: `ws://${main}`, ws: true } },
  },
})
await server.listen()
