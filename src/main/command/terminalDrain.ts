import type { Socket } from 'node:net'
import type { IPty } from 'node-pty'

/** Milliseconds that output may pause while other processes keep the terminal of an exited one open. */
const quietMs = 200

/**
 * Keeps a terminal open after its process has exited until all output has been read. node-pty destroys its socket 200
 * ms after the exit and loses output that a busy event loop has not read by then
 * (node_modules/node-pty/lib/unixTerminal.js, `DESTROY_SOCKET_TIMEOUT_MS`). The end of the output closes the socket,
 * unless a background process still holds the terminal. Does nothing on Windows, where node-pty reads through a pipe.
 */
export function readToEnd(pty: IPty): void {
  // Private in node-pty. Without it, or if it is not a socket, node-pty's own timing applies.
  const socket = (pty as { _socket?: Partial<Socket> })._socket
  if (process.platform === 'win32' || typeof socket?.destroy !== 'function') return
  const destroy = socket.destroy.bind(socket)
  let received = false
  pty.onData(() => {
    received = true
  })
  const destroyWhenQuiet = (): void => {
    // Timers run before input is read, so pending input is read first.
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
