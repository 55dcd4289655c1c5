import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { iconStyles } from './iconFont.mjs'
import { nodeModules } from './paths.mjs'

const window = join(nodeModules, '@vscode/codicons/dist/codicon.css')
const monaco = join(nodeModules, 'monaco-editor/esm/vs/base/browser/ui/codicons/codicon/codicon.css')
const styles = (file) => iconStyles(readFileSync(file, 'utf8'), file)?.code ?? ''

it("the window's icons use Monaco's font, which Monaco does not load again", () => {
  const [, font] = /@font-face \{[^}]*url\("([^"]*)"\)/.exec(styles(window)) ?? []
  expect(join(dirname(window), font ?? '')).toBe(join(dirname(monaco), 'codicon.ttf'))
  expect(existsSync(join(dirname(monaco), 'codicon.ttf'))).toBe(true)
  expect(styles(window)).toContain('.codicon-search')
  expect(styles(monaco)).not.toContain('@font-face')
  expect(styles(monaco)).toContain('.codicon[class')
})

it('a style sheet of icons without a font is an error, and others stay as they are', () => {
  expect(() => iconStyles('.codicon {}', monaco)).toThrow('has no icon font')
  expect(iconStyles('@font-face {}', '/src/renderer/ui/base.css')).toBeUndefined()
})
