import { useEffect, useState } from 'react'
import { toolsetNames, type ToolsetName } from '../../shared/tools/risk.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Select } from '../ui/index.ts'
import { saveSetting } from './saveSetting.ts'
import type { SettingEditorProps } from './settingValues.ts'

/** Value of the option that turns `suggestToolset` on. */
const suggested = 'suggested'

/** Select that edits both `toolset` and `suggestToolset`. */
export function ToolsetField({ settings, row: { declaration } }: SettingEditorProps) {
  const empty = useEmptyToolsets()
  return (
    <Select
      label={declaration.title}
      hint={
        settings.suggestToolset
          ? `Known model families get the toolset that they were trained on, other models ${toolsetLabels[settings.toolset]}.`
          : 'The tools that new conversations offer to the model.'
      }
      value={settings.suggestToolset ? suggested : settings.toolset}
      options={[
        { value: suggested, label: 'Suggested for the model' },
        ...toolsetNames.map((name) => {
          const isEmpty = empty.includes(name)
          const label = toolsetLabels[name]
          return { value: name, label: isEmpty ? `${label} (no tools yet)` : label, disabled: isEmpty }
        }),
      ]}
      onChange={(event) => {
        const toolset = toolsetNames.find((each) => each === event.target.value)
        saveSetting(toolset ? { toolset, suggestToolset: false } : { suggestToolset: true })
      }}
    />
  )
}

/** Names of toolsets without tools. Empty until they are loaded. */
function useEmptyToolsets(): readonly ToolsetName[] {
  const [empty, setEmpty] = useState<readonly ToolsetName[]>([])
  useEffect(() => {
    attempt(async () => {
      const sizes = await Promise.all(
        toolsetNames.map(async (name) => ({ name, size: (await request('tools.list', { toolset: name })).length })),
      )
      setEmpty(sizes.filter(({ size }) => size === 0).map(({ name }) => name))
    }, 'The toolsets could not be listed')
  }, [])
  return empty
}
