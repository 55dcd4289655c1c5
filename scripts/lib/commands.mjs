/**
 * The commands that need no window (src/main/hosts/headless/commandDispatch.ts); any other first word is a folder to open. They are listed here
 * because this runs before anything is built; a test compares both lists.
 * @type {ReadonlySet<string | undefined>}
 */
export const commandNames = new Set([
  'run',
  'call',
  'tools',
  'mcp',
  'tour',
  'conversations',
  'export',
  'import',
  'replay',
  'checkpoints',
  '--help',
  '-h',
  '--version',
])
