/** Returns the path of Electron's runtime on this machine, or null. */
export function findElectron(env?: NodeJS.ProcessEnv): string | null
/** Returns the reason why Electron cannot show a window on this machine, or null. */
export function desktopObstacle(env?: NodeJS.ProcessEnv, platform?: NodeJS.Platform, uid?: number): string | null
