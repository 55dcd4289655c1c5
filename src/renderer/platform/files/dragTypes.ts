/** MIME type of paths dragged from the explorer. The data is a workspace-relative path. */
export const dragPathType = 'application/x-tizona-path'

/** MIME type of all paths dragged from the explorer, as a JSON list. */
export const dragPathsType = 'application/x-tizona-paths'

/**
 * MIME type of the path of a dragged tab. Unlike those of the explorer, these files are not moved where they are
 * dropped.
 */
export const dragTabPathType = 'application/x-tizona-tab-path'
