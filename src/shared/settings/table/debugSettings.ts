import type { SettingDeclaration, SettingSection } from './settingDeclaration.ts'

export const debugSettings = {
  debug: {
    fields: {
      jsDebugPath: {
        group: 'debug',
        title: 'js-debug path',
        description:
          'Absolute path of dapDebugServer.js, which debugs JavaScript and TypeScript. It is part of the js-debug-dap archive in the releases of microsoft/vscode-js-debug.',
        type: 'text',
        singleLine: true,
        maxLength: 4096,
        default: '',
        wide: true,
      },
    },
  },
} as const satisfies Record<string, SettingDeclaration | SettingSection>
