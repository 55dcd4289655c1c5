/** MIME type of paths dragged from the explorer. The data is a workspace-relative path. */
export const dragPathType = 'application/x-tizona-path'

/** MIME type of all paths dragged from the explorer, as a JSON list. */
export const dragPathsType = 'application/x-tizona-paths'

/** MIME type of the path of a dragged tab. Unlike files from the explorer, the file is not moved when it is dropped. */
export const dragTabPathType = 'application/x-tizona-tab-path'
