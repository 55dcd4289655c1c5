import type { Settings } from '../../src/shared/settings/settings.ts'

/** For stories that open TypeScript files and need no language server, whose start takes a second of processor time. */
export const withoutServers: Pick<Settings, 'languageServers'> = {
  // The application adds the defaults of the other settings.
  languageServers: { enabled: false } as Settings['languageServers'],
}
