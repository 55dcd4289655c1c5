import type { Socket } from 'node:net'
import type { IPty } from 'node-pty'

/** Milliseconds that output may pause while other processes keep the terminal of an ended one open. */
const quietMs = 200

/**
 * Keeps a terminal open after the end of its process until all output was read. node-pty destroys its socket 200 ms
 * after the end, and output that a busy event loop has not read by then is lost
 * (node_modules/node-pty/lib/unixTerminal.js, `DESTROY_SOCKET_TIMEOUT_MS`). The end of the output itself closes the
 * socket, except where a background process still holds the terminal. Does nothing on Windows, where node-pty reads
 * through a pipe.
 */
export function readToEnd(pty: IPty): void {
  // Private in node-pty. Without it, or where it is no socket, node-pty's own timing applies.
  const socket = (pty as { _socket?: Partial<Socket> })._socket
  if (process.platform === 'win32' || typeof socket?.destroy !== 'function') return
  const destroy = socket.destroy.bind(socket)
  let received = false
  pty.onData(() => {
    received = true
  })
  const destroyWhenQuiet = (): void => {
    // Timers run before input is read, so what waits is read first.
    setImmediate(() => {
      if (!received) return void destroy()
      received = false
      setTimeout(destroyWhenQuiet, quietMs)
    })
  }
  let ending = false
  socket.destroy = () => {
    if (!ending) {
      ending = true
      received = false
      destroyWhenQuiet()
    }
    return socket as Socket
  }
}
