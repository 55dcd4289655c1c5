import { create } from 'zustand'
import type { SettingGroup } from '../../shared/settings/table/settingGroups.ts'
import { openPage } from '../platform/editor/tabsStore.ts'

/** Section to which the settings page should scroll. Null once it is shown. */
export const useShownSection = create<{ group: SettingGroup | null }>(() => ({ group: null }))

/** Opens the settings at a section. */
export function showSettings(group: SettingGroup): void {
  useShownSection.setState({ group })
  openPage('settings')
}
