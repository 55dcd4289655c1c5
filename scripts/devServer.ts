import react from '@vitejs/plugin-react'
import { createServer } from 'vite'

const [windowPort, mainPort] = process.argv.slice(2).map(Number)
const main = `127.0.0.1:${mainPort}`

/**
 * Vite's development server for the window, with everything that is main's passed on to the browser shell. Host and Origin
 * reach it as the browser sent them, as through an `ssh -L` tunnel, so its checks hold here too.
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
    // The window has modules whose names begin the same, hence the exact patterns.
    proxy: { '^/session$': { target: `http://${main}` }, '^/bridge$': { target: `ws://${main}`, ws: true } },
  },
})
await server.listen()
