/** MIME type of paths dragged from the explorer. The data is a workspace-relative path. */
export const dragPathType = 'application/x-tizona-path'

/** MIME type of all paths dragged from the explorer, as a JSON list. */
export const dragPathsType = 'application/x-tizona-paths'

/** Returns the paths that are dragged from the explorer. */
export function draggedPaths(data: Pick<DataTransfer, 'getData'>): string[] {
  const path = data.getData(dragPathType)
  if (path === '') return []
  try {
    const paths: unknown = JSON.parse(data.getData(dragPathsType))
    return Array.isArray(paths) && paths.every((each) => typeof each === 'string') ? paths : [path]
  } catch {
    // Dragged from elsewhere, with one path only.
    return [path]
  }
}

/** MIME type of the path of a dragged tab. Unlike files from the explorer, the file is not moved when it is dropped. */
export const dragTabPathType = 'application/x-tizona-tab-path'
