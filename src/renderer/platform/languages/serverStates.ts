import type { LanguageServerState } from '../../../shared/language/languageServers.ts'

export const serverStateLabels: Readonly<Record<LanguageServerState, string>> = {
  off: 'Off',
  missing: 'Not installed',
  blocked: 'Blocked',
  installing: 'Installing…',
  waiting: 'Starts with a file of its language',
  starting: 'Starting…',
  running: 'Running',
  restarting: 'Restarting…',
  failed: 'Failed',
}
