import type { SettingDeclaration, SettingSection } from './settingDeclaration.ts'

export const languageSettings = {
  languageServers: {
    fields: {
      enabled: {
        group: 'languages',
        title: 'Use language servers',
        description: '',
        type: 'boolean',
        default: true,
        wide: true,
      },
      maxMemoryMegabytes: {
        group: 'languages',
        title: 'Maximum memory per server (MB)',
        description: 'A server that exceeds this limit is restarted.',
        type: 'number',
        min: 256,
        max: 1_000_000,
        step: 1,
        default: 3072,
      },
      registry: {
        group: 'languages',
        title: 'Package registry',
        description: 'URL of the npm registry to install servers from.',
        type: 'text',
        singleLine: true,
        maxLength: 2000,
        default: 'https://registry.npmjs.org',
        wide: true,
      },
      updateImportsOnFileMove: {
        group: 'languages',
        title: 'Update imports when files move',
        description: 'When you move or rename files in the explorer and a language server supports it.',
        type: 'choice',
        options: ['prompt', 'always', 'never'],
        texts: {
          prompt: { label: 'Ask' },
          always: { label: 'Always' },
          never: { label: 'Never' },
        },
        default: 'prompt',
      },
      outsideSandbox: {
        group: 'languages',
        title: 'Servers outside the sandbox',
        description:
          'Names of servers that run with your permissions and network access instead of in the sandbox, such as gopls or rust-analyzer. Code in the folder can then run with your permissions.',
        type: 'text',
        singleLine: true,
        maxLength: 1000,
        default: '',
        wide: true,
      },
    },
  },
} as const satisfies Record<string, SettingDeclaration | SettingSection>
