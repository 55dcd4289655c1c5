/** Electron's runtime on this machine, or null. */
export function findElectron(env?: NodeJS.ProcessEnv): string | null
/** Why a window of Electron could not be shown here at all, or null. */
export function desktopObstacle(env?: NodeJS.ProcessEnv, platform?: NodeJS.Platform, uid?: number): string | null
