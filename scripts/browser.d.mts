/** Returns the path of a Chromium or Chrome, or undefined. */
export function findBrowser(env?: NodeJS.ProcessEnv): Promise<string | undefined>
/**
 * Returns the path of a Chromium or Chrome; as root on Debian, installs one if needed.
 * @throws StepError if there is none
 */
export function ensureBrowser(): Promise<string>
