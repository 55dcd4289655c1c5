import { once } from '../../shared/async/once.ts'
import type { IconTarget, IconTheme } from '../../shared/extensions/iconTheme.ts'
import { themeIcon } from '../../shared/extensions/iconTheme.ts'
import { saveSettings, useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { loadContributions, useContributions } from '../platform/extensions/extensionsStore.ts'
import { attempt } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { useTheme } from '../platform/theme/theme.ts'
import { useFileIconTheme, type ThemedIcon } from '../ui/fileIconTheme.ts'
import { languageOfPath } from './languageOfPath.ts'

/** Maximum number of images in one request. The protocol has the same limit. */
const maxImages = 200

/** A theme whose images are loaded when they are first shown. */
interface LoadedTheme {
  theme: IconTheme
  /** Font families by the ids in the theme. */
  families: ReadonlyMap<string, { family: string; size: number | undefined }>
  /** Data URLs by path. Null: missing. */
  images: Map<string, string | null>
  pending: Set<string>
}

let loaded: LoadedTheme | null = null
let requested = ''
let preview: string | null = null
let fontCount = 0

/** Id of the theme that the settings or the preview name; '' for Tizona's own icons. */
const wanted = () => preview ?? useApp.getState().state?.settings?.iconTheme ?? ''

/** Shows the theme with new images, or for another color theme. */
function show(): void {
  const current = loaded
  if (!current) return useFileIconTheme.setState({ iconOf: undefined, hidesExplorerArrows: false })
  const base = useTheme.getState().theme
  const variant = base.startsWith('hc') ? 'highContrast' : base === 'light' ? 'light' : 'dark'
  useFileIconTheme.setState({
    hidesExplorerArrows: current.theme.hidesExplorerArrows,
    iconOf: (target) => iconOf(current, variant, target),
  })
}

function iconOf(
  current: LoadedTheme,
  variant: 'dark' | 'light' | 'highContrast',
  target: IconTarget,
): ThemedIcon | null {
  const language = target.kind === 'file' ? languageOfPath(target.path) : undefined
  const icon = themeIcon(current.theme, variant, { ...target, language })
  if (!icon) return null
  if (icon.image !== undefined) {
    const image = current.images.get(icon.image)
    if (image === undefined) queueImage(current, icon.image)
    return image === undefined || image === null ? 'loading' : { image }
  }
  const font = current.families.get(icon.font ?? current.theme.fonts[0]?.id ?? '')
  if (icon.character === undefined || !font) return null
  return { character: icon.character, color: icon.color, font: font.family, size: icon.size ?? font.size }
}

/** Loads images together that are first shown in the same frame. */
function queueImage(current: LoadedTheme, path: string): void {
  if (current.pending.has(path)) return
  if (current.pending.size === 0)
    queueMicrotask(() => attempt(() => loadImages(current), 'The file icons could not be loaded'))
  current.pending.add(path)
}

async function loadImages(current: LoadedTheme): Promise<void> {
  // Rendering goes on after the first microtask, so wait for the rest of the frame.
  await new Promise((resolve) => setTimeout(resolve, 0))
  const paths = [...current.pending]
  current.pending.clear()
  for (let at = 0; at < paths.length; at += maxImages) {
    const part = paths.slice(at, at + maxImages)
    // Not requested again while they load.
    for (const path of part) current.images.set(path, null)
    const images = await request('extensions.images', { extension: current.theme.extension, paths: part })
    part.forEach((path, index) => current.images.set(path, images[index] ?? null))
  }
  if (loaded === current) show()
}

async function loadFonts({ extension, fonts }: IconTheme): Promise<LoadedTheme['families']> {
  const data = await request('extensions.images', { extension, paths: fonts.map(({ path }) => path) })
  const families = new Map<string, { family: string; size: number | undefined }>()
  await Promise.all(
    fonts.map(async ({ id, size }, index) => {
      const url = data[index]
      if (!url) return
      const family = `tizona-icons-${fontCount++}`
      // A font that browsers reject has no characters.
      const face = await new FontFace(family, `url("${url}")`).load().catch(() => null)
      if (!face) return
      document.fonts.add(face)
      families.set(id, { family, size })
    }),
  )
  return families
}

async function apply(): Promise<void> {
  const id = wanted()
  if (id === requested) return
  requested = id
  if (id === '') {
    loaded = null
    return show()
  }
  try {
    const theme = await request('extensions.iconTheme', { id })
    const families = await loadFonts(theme)
    if (requested !== id) return
    loaded = { theme, families, images: new Map(), pending: new Set() }
  } catch {
    // The extension is disabled or was removed: Tizona's own icons.
    if (requested !== id) return
    loaded = null
  }
  show()
}

const applySoon = () => attempt(apply, 'The file icon theme could not be loaded')

/** Follows the setting, the color theme and changes of extensions from now on. */
export const followIconTheme = once((): void => {
  useApp.subscribe(applySoon)
  useTheme.subscribe(show)
  useContributions.subscribe(({ contributions }, before) => {
    if (contributions === before.contributions) return
    // The theme may have been replaced, removed or enabled.
    requested = ''
    loaded = wanted() === '' ? null : loaded
    applySoon()
  })
  applySoon()
})

/** Shows the file icon themes in a picker. The highlighted one is applied at once, and stored when it is chosen. */
export async function chooseIconTheme(): Promise<void> {
  followIconTheme()
  const { iconThemes } = await loadContributions()
  const current = useApp.getState().state?.settings?.iconTheme ?? ''
  const setPreview = (id: string | null) => {
    preview = id
    applySoon()
  }
  try {
    const item = await quickPick({
      title: 'File icon theme',
      placeholder: 'Choose a theme with the arrow keys',
      items: [{ id: '', label: 'Tizona' }, ...iconThemes].map(({ id, label }) => ({
        id,
        label,
        current: id === current,
      })),
      onHighlight: ({ id }) => setPreview(id),
    })
    if (item) await saveSettings({ iconTheme: item.id })
  } finally {
    setPreview(null)
  }
}
