/** The path of a Chromium or Chrome, if there is one. */
export function findBrowser(env?: NodeJS.ProcessEnv): Promise<string | undefined>
/** Finds one or installs it where we may; throws where neither works. */
export function ensureBrowser(): Promise<string>
