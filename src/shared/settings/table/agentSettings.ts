import { modeTexts } from '../../tools/modeTexts.ts'
import { normalizeMode, modes, toolsetNames } from '../../tools/risk.ts'
import { toolsetLabels } from '../../tools/toolsetTexts.ts'
import { optionTexts, type SettingDeclaration, type SettingSection } from './settingDeclaration.ts'

export const agentSettings = {
  mode: {
    group: 'agent',
    title: 'Mode',
    description: 'Which tool calls need your approval.',
    type: 'choice',
    options: modes,
    texts: optionTexts(modes, (mode) => ({ label: modeTexts[mode].label, detail: modeTexts[mode].detail })),
    default: 'safe',
    normalize: normalizeMode,
  },
  toolset: {
    group: 'agent',
    title: 'Toolset',
    description: 'The toolset for new conversations, unless the model name suggests another one.',
    type: 'choice',
    options: toolsetNames,
    texts: optionTexts(toolsetNames, (name) => ({ label: toolsetLabels[name] })),
    editor: 'toolset',
    default: 'blade',
  },
  suggestToolset: {
    group: 'agent',
    title: 'Suggest toolset',
    description: 'Use the toolset that suits the model family, if Tizona recognizes the model name.',
    type: 'boolean',
    // The `toolset` control contains it.
    editor: 'none',
    default: true,
  },
  disabledTools: {
    group: 'tools',
    title: 'Disabled tools',
    description: 'Names of the disabled tools, by toolset.',
    type: 'structured',
    valueText: 'object: toolset → list of tool names',
    editor: 'disabledTools',
    default: {},
  },
  maxTurns: {
    group: 'agent',
    title: 'Model requests per turn',
    description: 'After this many requests the turn stops and you can continue it.',
    type: 'number',
    min: 1,
    max: 500,
    step: 1,
    default: 50,
  },
  systemPrompt: {
    group: 'agent',
    title: 'System prompt',
    description: "Added after Tizona's own instructions, for example your conventions.",
    type: 'text',
    maxLength: 100_000,
    default: '',
    wide: true,
  },
  approval: {
    fields: {
      rules: {
        group: 'approval',
        title: 'Command rules',
        description:
          'Commands that you allow, that always need your approval, or that never run. A deny rule takes precedence.',
        type: 'structured',
        valueText: 'list of rules: `decision`, `match`, `pattern`, `folder`',
        editor: 'approvalRules',
        default: [],
        wide: true,
      },
      notify: {
        group: 'approval',
        title: 'Notify me when a call needs approval and the window is in the background',
        description: '',
        type: 'boolean',
        editor: 'approvalNotifications',
        default: true,
        wide: true,
      },
      protectedPaths: {
        group: 'approval',
        title: 'Protected paths',
        description:
          'Changes to these files need your approval in every mode. One pattern per line, for example deploy/ or *.tf, in addition to the built-in list.',
        type: 'text',
        maxLength: 10_000,
        default: '',
        wide: true,
      },
      secretPaths: {
        group: 'approval',
        title: 'Secret files',
        description:
          'Reading these files needs your approval too, and searches skip them. One pattern per line, in addition to the built-in list.',
        type: 'text',
        maxLength: 10_000,
        default: '',
        wide: true,
      },
    },
  },
} as const satisfies Record<string, SettingDeclaration | SettingSection>
