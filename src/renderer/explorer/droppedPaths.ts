import { dragPathsType, dragPathType } from '../platform/files/dragTypes.ts'

/** Paths dragged from the explorer. */
export function droppedPaths(data: Pick<DataTransfer, 'getData'>): string[] {
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
