import { describe, expect, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import {
  applySettingsDocument as apply,
  editFolderSettings,
  parseFolderSettings,
  settingsDocument,
  settingsJsonSchemas,
} from './settingsDocument.ts'

const settings = settingsSchema.parse({
  theme: 'light',
  editor: { tabSize: 2 },
  web: { hasBraveKey: true, enabled: false },
  endpoints: [{ id: 'a', name: 'A', kind: 'openai', baseUrl: 'http://a' }],
})

const applySettingsDocument = (...args: Parameters<typeof apply>) => apply(...args).settings

describe('the settings as JSON', () => {
  it('contain what differs from the defaults, without endpoints and keys', () => {
    expect(JSON.parse(settingsDocument(settings))).toEqual({
      theme: 'light',
      editor: { tabSize: 2 },
      web: { enabled: false },
    })
    expect(settingsDocument(settingsSchema.parse({}))).toBe('{}\n')
  })

  it('restore the defaults of settings that the user removed, and keep endpoints and keys', () => {
    const changed = applySettingsDocument('{"editor": {"fontSize": 20}}', settingsDocument(settings), settings)
    expect(changed.theme).toBe('system')
    expect(changed.editor).toMatchObject({ fontSize: 20, tabSize: 4 })
    expect(changed.endpoints).toEqual(settings.endpoints)
    expect(changed.web.hasBraveKey).toBe(true)
    expect(applySettingsDocument(settingsDocument(settings), settingsDocument(settings), settings)).toEqual(settings)
  })

  it('change only what the user edited, so that newer settings stay', () => {
    const base = settingsDocument(settings)
    const newer = { ...settings, theme: 'dark' as const, editor: { ...settings.editor, fontSize: 22 } }
    const draft = base.replace('"tabSize": 2', '"tabSize": 8')
    const saved = applySettingsDocument(draft, base, newer)
    expect(saved).toEqual({ ...newer, editor: { ...newer.editor, tabSize: 8 } })
  })

  it('name the settings that were edited here and elsewhere, until the user overwrites them', () => {
    const base = settingsDocument(settings)
    const newer = { ...settings, theme: 'dark' as const, editor: { ...settings.editor, tabSize: 3 } }
    const draft = base.replace('"tabSize": 2', '"tabSize": 8')
    expect(() => applySettingsDocument(draft, base, newer)).toThrow(/ while you edited them: editor\.tabSize\.$/)
    expect(applySettingsDocument(draft, base, newer, { overwrite: true })).toEqual({
      ...newer,
      editor: { ...newer.editor, tabSize: 8 },
    })
    expect(applySettingsDocument(base.replace('"tabSize": 2', '"tabSize": 3'), base, newer)).toEqual(newer)
  })

  it('accept settings of VS Code with comments, and name those without a counterpart', () => {
    const text = `{
      // My settings
      "editor.wordWrap": "on",
      "editor.lineHeight": 1.5, "editor.fontSize": 20,
      "files.exclude": { "**/out": true, "**/*.js": { "when": "$(basename).ts" } },
      "web.enabled": false,
      "editor": { "tabSize": 3 },
      "telemetry.telemetryLevel": "off",
      "[python]": { "editor.tabSize": 8, "editor.nonsense": 1, "files.encoding": "utf8" },
      "[json][jsonc]": { "editor.tabSize": 2 },
    }`
    const { settings: saved, unused } = apply(text, '{}', settingsSchema.parse({}))
    expect(saved.editor).toMatchObject({ wordWrap: true, lineHeight: 30, fontSize: 20, tabSize: 3 })
    expect(saved.files.exclude).toEqual({ '**/out': true })
    expect(saved.web.enabled).toBe(false)
    expect(saved.editor.languages).toEqual({ python: { tabSize: 8 }, json: { tabSize: 2 }, jsonc: { tabSize: 2 } })
    expect(unused.map((line) => line.split(':')[0])).toEqual([
      'files.exclude',
      'telemetry.telemetryLevel',
      '[python] editor.nonsense',
      '[python] files.encoding',
    ])
  })

  it('use a pasted setting of VS Code instead of an unchanged one, and report it beside a changed one', () => {
    const base = settingsDocument(settings)
    const pasted = (own: object) =>
      JSON.stringify({ ...own, 'editor.tabSize': 8, 'workbench.colorTheme': 'Default Dark+' })
    const { settings: saved, unused } = apply(pasted(JSON.parse(base) as object), base, settings)
    expect([saved.editor.tabSize, saved.theme, unused]).toEqual([8, 'dark', []])
    const changed = apply(pasted({ theme: 'dark', editor: { tabSize: 3 } }), base, settings)
    expect(changed.settings.editor.tabSize).toBe(3)
    expect(changed.unused).toEqual([expect.stringMatching(/^editor\.tabSize: /)])
    const own = apply('{"web": {"enabled": false}, "web.enabled": true}', base, settings)
    expect(own.settings.web.enabled).toBe(true)
  })

  it('add a pasted setting of a language to those that the text has', () => {
    const languages = { python: { tabSize: 2, rulers: [79] }, go: { tabSize: 8 } }
    const stored = settingsSchema.parse({ editor: { languages } })
    const base = settingsDocument(stored)
    const python = { 'editor.tabSize': 4, 'editor.formatOnSave': true }
    const pasted = (own: object) => JSON.stringify({ editor: { languages: own }, '[python]': python })
    const first = apply(pasted(languages), base, stored)
    expect(first).toMatchObject({ unused: [] })
    expect(first.settings.editor.languages).toEqual({
      go: { tabSize: 8 },
      python: { tabSize: 4, rulers: [79], formatOnSave: true },
    })
    const both = apply(pasted({ python: { tabSize: 3 } }), base, stored)
    expect(both.settings.editor.languages).toEqual({ python: { tabSize: 3, formatOnSave: true } })
    expect(both.unused).toEqual([expect.stringMatching(/^\[python\] tabSize: /)])
    expect(() => apply(pasted({ python: 1 }), base, stored)).toThrow(/languages\.python/)
  })

  it('without the text that the user began with, overwrite nothing silently', () => {
    expect(() => applySettingsDocument('{"theme": "hc-dark"}', '{}', settings)).toThrow(/: theme\.$/)
    expect(applySettingsDocument('{}', '{}', settings)).toEqual(settings)
  })

  it.each([
    ['{', /not valid JSON/],
    ['{"editor": {"tabSize": 99}}', /editor\.tabSize/],
    ['{"editor": {"tabsize": 2}}', /tabsize/],
    ['{"nonsense": 1}', /nonsense/],
    ['{"endpoints": []}', /endpoints/],
    ['{"web": {"hasBraveKey": true}}', /hasBraveKey/],
  ])('%s is refused with the place of the mistake', (text, message) => {
    expect(() => applySettingsDocument(text, '{}', settings)).toThrow(message)
  })

  it('have a schema with the texts of the settings page', () => {
    const text = JSON.stringify(settingsJsonSchemas().schema)
    expect(text).toContain('"description":"Tab size. In columns."')
    expect(text).toContain('"additionalProperties":false')
  })
})

it.each(['endpoints', 'mode', 'model', 'approval', 'mcp', 'commands', 'web', 'systemPrompt', 'theme'])(
  'a folder cannot set %s',
  (name) =>
    expect(parseFolderSettings(JSON.stringify({ [name]: {}, editor: { tabSize: 3 } }))).toEqual({
      settings: { editor: { tabSize: 3 } },
      problem: `${name}: it is not a setting.`,
    }),
)

it('a folder sets how its files are edited', () => {
  expect(parseFolderSettings('{"editor": {"tabSize": 3, "rulers": [90]}}')).toEqual({
    settings: { editor: { tabSize: 3, rulers: [90] } },
    problem: '',
  })
  expect(parseFolderSettings('')).toEqual({ settings: {}, problem: '' })
})

it('a changed setting of the folder leaves the others, and invalid text is not touched', () => {
  const text = '{\n    "editor": {\n        "rulers": [ 80 ]\n    }\n}\n'
  const changed = editFolderSettings(text, 'tabSize', 2)
  expect(JSON.parse(changed)).toEqual({ editor: { rulers: [80], tabSize: 2 } })
  expect(editFolderSettings('', 'tabSize', 2)).toBe('{\n  "editor": {\n    "tabSize": 2\n  }\n}\n')
  expect(() => editFolderSettings('{ broken', 'tabSize', 2)).toThrow(/not valid JSON/)
})

it.each([
  ['a wrong type', '"tabSize": "big"', /^editor\.tabSize: /],
  ['an unknown name', '"tabSizes": 3', /^editor\.tabSizes: it is not a setting\.$/],
  ['a bad entry of a list', '"rulers": ["wide"]', /^editor\.rulers\.0: /],
  ['a setting of a language that is for all', '"languages": {"go": {"vim": true}}', /^editor\.languages\.go\.vim: /],
  ['a repeated key', '"fontSize": 11', /^editor\.fontSize: it is repeated/],
])('%s in the settings of a folder leaves its other settings in force', (_case, bad, named) => {
  const text = `\uFEFF{"editor": {${bad}, "fontSize": 15}}`
  const { settings, problem } = parseFolderSettings(text)
  expect(settings.editor).toMatchObject({ fontSize: 15 })
  expect(problem).toMatch(named)
  expect(editFolderSettings(text, 'minimap', false).replaceAll(/\s/g, '')).toContain(bad.replaceAll(' ', ''))
})

it('an invalid value is not written into the settings of a folder', () => {
  expect(() => editFolderSettings('{}', 'tabSize', 'big')).toThrow(/^editor\.tabSize: /)
  expect(() => editFolderSettings('{}', 'rulers', ['wide'])).toThrow(/^editor\.rulers\.0: /)
})
