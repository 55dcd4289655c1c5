import type { ComponentType } from 'react'

/**
 * Views that show a file outside the text editor. `library`: a file outside the folder (libraryFiles.ts). `userFile`:
 * shortcuts or snippets in the user data folder.
 */
export type FileViewName = 'image' | 'hex' | 'largeText' | 'csv' | 'markdown' | 'library' | 'userFile'

export interface FileViewProps {
  path: string
}

const views: Partial<Record<FileViewName, ComponentType<FileViewProps>>> = {}

/** Registers a view. app/lazyViews.tsx registers all views at start. */
export function contributeFileView(name: FileViewName, view: ComponentType<FileViewProps>): void {
  views[name] = view
}

export function FileViewHost({ name, path }: FileViewProps & { name: FileViewName }) {
  const View = views[name]
  return View && <View path={path} />
}

const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  apng: 'image/apng',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}

/** Returns the media type of an image by its file name; null for other files. */
export function imageTypeOf(path: string): string | null {
  return imageTypes[extensionOf(path)] ?? null
}

/** Returns the preview view for a file; null if there is none. */
export function previewOf(path: string): FileViewName | null {
  if (imageTypeOf(path)) return 'image'
  const extension = extensionOf(path)
  if (['md', 'markdown', 'mdx'].includes(extension)) return 'markdown'
  return ['csv', 'tsv'].includes(extension) ? 'csv' : null
}
