import { create } from 'zustand'
import type { IconTarget } from '../../shared/extensions/iconTheme.ts'

/** How a file icon theme draws a file or a folder: an image, or a character of an icon font. */
export type ThemedIcon =
  | { image: string }
  | { character: string; color: string | undefined; font: string; size: number | undefined }
  /** The image has not arrived yet. */
  | 'loading'

interface FileIconThemeState {
  /** Returns the icon of a file or folder, null if the theme shows none. Undefined: Tizona's own icons. */
  iconOf: ((target: IconTarget) => ThemedIcon | null) | undefined
  hidesExplorerArrows: boolean
}

/** The active file icon theme. The feature `extensions` sets it, and sets it again when images have arrived. */
export const useFileIconTheme = create<FileIconThemeState>(() => ({ iconOf: undefined, hidesExplorerArrows: false }))
