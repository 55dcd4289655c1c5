/** Whether there is a build, and no source is newer. */
export function isBuildCurrent(): boolean
