import type { SettingDeclaration, SettingSection } from './settingDeclaration.ts'

export const commandSettings = {
  commands: {
    fields: {
      sandbox: {
        group: 'commands',
        title: 'Run commands in a sandbox',
        description: 'Off: an allowed command can do everything that you can do.',
        type: 'boolean',
        default: true,
        wide: true,
      },
      maxProcesses: {
        group: 'commands',
        title: 'Maximum processes per command',
        description: 'A command that exceeds this number is ended.',
        type: 'number',
        min: 50,
        max: 100_000,
        step: 1,
        default: 1000,
      },
      maxMemoryMegabytes: {
        group: 'commands',
        title: 'Maximum memory per command (MB)',
        description:
          'A command that exceeds this limit is ended. Empty: three quarters of the memory of this computer.',
        type: 'number',
        min: 256,
        max: 10_000_000,
        step: 1,
        nullable: true,
        default: null,
        placeholder: 'Three quarters',
      },
      environment: {
        group: 'commands',
        title: 'Additional environment variables',
        description:
          'Names of environment variables to pass to commands in addition to those of the system and toolchains, separated by commas. Variables that contain keys are passed only if listed here.',
        type: 'text',
        maxLength: 2000,
        default: '',
        wide: true,
      },
    },
  },
  sessions: {
    fields: {
      folder: {
        group: 'agent',
        title: 'Worktree folder',
        description:
          'Sessions in worktrees are stored here, in one folder per repository. Empty: beside the data folder of Tizona.',
        type: 'text',
        maxLength: 1000,
        default: '',
        wide: true,
      },
      keepRunning: {
        group: 'agent',
        title: 'Keep sessions running',
        description:
          'On the desktop, a running turn continues when its window is closed, and an icon in the system tray opens the window again. In the browser, turns always continue while Tizona runs.',
        type: 'boolean',
        default: false,
      },
    },
  },
} as const satisfies Record<string, SettingDeclaration | SettingSection>
