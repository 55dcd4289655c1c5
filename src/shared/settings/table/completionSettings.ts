import type { SettingDeclaration, SettingSection } from './settingDeclaration.ts'

export const completionSettings = {
  completion: {
    fields: {
      enabled: {
        group: 'completion',
        title: 'Suggest code while I type',
        description: '',
        type: 'boolean',
        default: false,
      },
      inComments: {
        group: 'completion',
        title: 'Suggest in comments and strings too',
        description: '',
        type: 'boolean',
        default: true,
      },
      model: {
        group: 'completion',
        title: 'Completion model',
        description: 'A fill-in-the-middle model. One with 1B to 7B parameters is fast enough.',
        type: 'structured',
        valueText: 'object: `endpointId`, `model`; or `null`',
        editor: 'completionModel',
        default: null,
        wide: true,
      },
      nextEditModel: {
        group: 'completion',
        title: 'Next edit model',
        description:
          'Predicts what you change next near the cursor. Works with Zeta 2, Zeta 2.1 and Sweep Next-Edit. Tab jumps to the edit; Tab again accepts it.',
        type: 'structured',
        valueText: 'object: `endpointId`, `model`; or `null`',
        editor: 'nextEditModel',
        default: null,
        wide: true,
      },
      maxTokens: {
        group: 'completion',
        title: 'Maximum tokens per suggestion',
        description: 'A lower limit makes suggestions faster.',
        type: 'number',
        min: 16,
        max: 1024,
        step: 1,
        default: 128,
      },
    },
  },
} as const satisfies Record<string, SettingDeclaration | SettingSection>
