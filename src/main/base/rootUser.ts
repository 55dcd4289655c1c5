/**
 * Returns a warning for a process that runs as root; undefined for other users, on Windows, and if the user set
 * `TIZONA_ALLOW_ROOT`, for example in a container.
 */
export function rootWarning(user = process.getuid?.(), allowed = process.env['TIZONA_ALLOW_ROOT']): string | undefined {
  if (user !== 0 || (allowed !== undefined && allowed !== '')) return undefined
  return 'Tizona runs as root, which is a bad idea: whatever runs outside the sandbox can change the whole system. Start it as an ordinary user, or set TIZONA_ALLOW_ROOT=1 where root is intended, for example in a container.'
}
