// `import 'node:http'` reads every export of the module, and one of them loads Node's whole WebSocket client. That takes
// a tenth of the start of a command, so modules that each start loads take the functions from here.

/** The module `node:http`. */
export const http = process.getBuiltinModule('node:http')

/** Returns the module `node:https`, which is loaded with the first use because it loads TLS. */
export const loadHttps = () => process.getBuiltinModule('node:https')
