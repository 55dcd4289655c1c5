// `import 'node:http'` evaluates every export of the module, including Node's WebSocket client. That takes a tenth of
// a command's start, so modules loaded at every start import from here.

export const http = process.getBuiltinModule('node:http')

/** Returns the module `node:https`. Loaded on demand because it loads TLS. */
export const loadHttps = () => process.getBuiltinModule('node:https')
