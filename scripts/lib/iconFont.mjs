const fontFace = /@font-face\s*\{[^}]*\}\s*/
const fontUrl = /url\([^)]*codicon\.ttf[^)]*\)/

/**
 * Vite plugin: one icon font for the window. Monaco brings a newer version of the same font. A second `@font-face` with
 * the same name would hide all icons of the window while Monaco's file loads, so the window uses that file from the start.
 */
export function oneIconFont() {
  return { name: 'one-icon-font', enforce: 'pre', transform: iconStyles }
}

/** @returns the changed style sheet, or undefined if it is none of the icons; @throws Error if it has no font */
export function iconStyles(/** @type {string} */ code, /** @type {string} */ id) {
  const file = id.replaceAll('\\', '/').split('?')[0]
  if (file.endsWith('/@vscode/codicons/dist/codicon.css')) {
    const font = '../../../monaco-editor/esm/vs/base/browser/ui/codicons/codicon/codicon.ttf'
    return changed(code, fontUrl, `url("${font}")`, file)
  }
  if (/\/monaco-editor\/.*\/codicons\/codicon\/codicon\.css$/.test(file)) return changed(code, fontFace, '', file)
  return undefined
}

function changed(code, pattern, replacement, file) {
  if (!pattern.test(code)) throw new Error(`${file} has no icon font: adapt scripts/lib/iconFont.mjs`)
  return { code: code.replace(pattern, replacement), map: null }
}
