/**
 * Names of the commands that need no window. Any other first argument is a folder to open. Copied from
 * src/main/hosts/headless/commandDispatch.ts, because this file runs before the build; a test compares both lists.
 * @type {ReadonlySet<string | undefined>}
 */
export const commandNames = new Set([
  'run',
  'tries',
  'call',
  'tools',
  'explain',
  'mcp',
  'acp',
  'tour',
  'conversations',
  'export',
  'import',
  'replay',
  'checkpoints',
  'review',
  'sessions',
  'plugins',
  'check-model',
  'doctor',
  '--help',
  '-h',
  '--version',
])
