import { z } from 'zod'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { endpointSchema, modelOptionsSchema, timeoutsSchema } from '../../shared/settings/settings.ts'
import { settingGroups, type SettingGroup } from '../../shared/settings/table/settingGroups.ts'
import { settingRows } from '../../shared/settings/settingsTable.ts'
import type { SettingDeclaration } from '../../shared/settings/table/settingDeclaration.ts'

/** The text of docs/settings.md. */
export function settingsDocs(): string {
  // `Object.keys` returns strings, but the keys of `settingGroups` are groups.
  const groups = (Object.keys(settingGroups) as SettingGroup[]).filter((group) =>
    settingRows.some(({ declaration }) => declaration.group === group),
  )
  return [
    '# Settings',
    '',
    '<!-- Written by `node scripts/docs.ts` from src/shared/settings/settingsTable.ts and src/shared/settings/settings.ts; edit those instead. -->',
    '',
    'Tizona stores settings in `settings.json` in the user data folder. The settings page edits them; a running',
    'Tizona also applies changes that you make to the file. A key with a dot is in an object: `editor.tabSize` is',
    '`{ "editor": { "tabSize": 4 } }`. Missing settings use their defaults. Tizona does not change a file that has',
    'mistakes: invalid values use their defaults, and a notice names them. While approval rules cannot be read, every call',
    'needs approval, in every mode. A file that is not valid JSON must be corrected before Tizona can change settings.',
    ...groups.flatMap((group) => ['', `## ${settingGroups[group].title}`, '', ...groupTable(group)]),
    '',
    ...fieldTable('Fields of an endpoint', endpointSchema),
    ...fieldTable('Timeouts of an endpoint (`patience`)', timeoutsSchema),
    ...fieldTable('Model options (`models`)', modelOptionsSchema),
  ].join('\n')
}

function groupTable(group: SettingGroup): string[] {
  return [
    '| key | title | value | default | description |',
    '|---|---|---|---|---|',
    ...settingRows
      .filter(({ declaration }) => declaration.group === group)
      .map(({ path, declaration }) =>
        row([
          code(path),
          declaration.title,
          valueText(declaration),
          declaration.default === undefined ? '' : code(JSON.stringify(declaration.default)),
          declaration.description,
        ]),
      ),
  ]
}

function valueText(declaration: SettingDeclaration): string {
  switch (declaration.type) {
    case 'boolean':
      return '`true` or `false`'
    case 'choice':
      return declaration.options.map((option) => code(JSON.stringify(option))).join(', ')
    case 'number': {
      const { min, max, step, nullable } = declaration
      const kind = step === 1 ? 'whole number' : 'number'
      return `${kind} from ${formatNumber(min)} to ${formatNumber(max)}${nullable ? ', or `null`' : ''}`
    }
    case 'text':
      return `text, at most ${plural(declaration.maxLength, 'character')}`
    case 'structured':
      return declaration.valueText
  }
}

function fieldTable(title: string, schema: z.ZodObject): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '' } = typeof property === 'object' ? property : {}
    return row([code(name), required.includes(name) ? 'yes' : '', description])
  })
  return [`## ${title}`, '', '| key | required | description |', '|---|---|---|', ...rows, '']
}

const code = (text: string) => `\`${text}\``
const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
