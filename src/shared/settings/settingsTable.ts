import { encodings, encodingTexts } from '../files/encodings.ts'
import { keymapChoices } from '../editor/keymap.ts'
import { modeTexts } from '../tools/modeTexts.ts'
import { profileTexts } from '../agent/profileTexts.ts'
import { profileChoices } from '../agent/promptProfile.ts'
import { normalizeMode, modes, toolsetNames } from '../tools/risk.ts'
import { toolsetLabels } from '../tools/toolsetTexts.ts'
import { searchProviders } from './webSettings.ts'

/*
 * One declaration per setting. The schemas in settings.ts, the settings page (renderer/settings) and docs/settings.md
 * are derived from this table. It does not import zod, which the window does not load.
 */

/** Windows of the last session that the desktop application opens at start. */
export const restoreChoices = ['none', 'last', 'all'] as const
export type RestoreChoice = (typeof restoreChoices)[number]

/** Sections of the settings page, in order. */
export const settingGroups = {
  models: {
    title: 'Models',
    description:
      'Model servers on this machine are found automatically. Add servers elsewhere, or servers that need a key.',
  },
  completion: {
    title: 'Inline completion',
    description:
      'Suggests how the code continues while you type. Tab accepts a suggestion, Ctrl+Right its next word, Shift+Tab its next line. Text around the cursor, recently seen code and definitions are sent to the model that you choose; secret files are not.',
  },
  agent: {
    title: 'Agent',
    description:
      'Defaults for new conversations. Change the mode and model of the current conversation below the message field.',
  },
  approval: {
    title: 'Approval rules',
    description:
      'Read-only commands inside the workspace run without approval in the modes Safe, Cautious and Plan. Your own rules are applied in addition. They are stored outside every folder, so no folder can change them.',
  },
  web: {
    title: 'Web',
    description: 'Some tools search the web or fetch pages. Each call needs your approval unless the mode allows it.',
  },
  mcp: {
    title: 'MCP servers',
    description: 'Tools of MCP servers are added to the toolset and follow the same approval rules.',
  },
  agents: {
    title: 'External agents',
    description:
      'Other agents that support the Agent Client Protocol (ACP). Each runs in its own process, in trusted folders only. Its file access and commands need the same approvals, and its changes appear in the review. What its own process does is limited only by the sandbox.',
  },
  tools: {
    title: 'Tools',
    description:
      'Disabled tools are not offered to models and cannot be called from the chat, tool console, command line or MCP clients.',
  },
  commands: {
    title: 'Commands',
    description:
      'A sandboxed command changes files only in the workspace, does not see your home or files with keys, and has no network unless its card says so. Without the sandbox an allowed command can do everything that you can do. Your own terminals are not sandboxed.',
  },
  editor: { title: 'Appearance and editor', description: '' },
  languages: {
    title: 'Language servers',
    description:
      'They find errors while you type, complete code and rename symbols. They run only in folders that you trust.',
  },
  history: {
    title: 'Stored data',
    description:
      'Everything is kept until you delete it, unless you set a limit. Pinned conversations and unsaved text are never deleted.',
  },
  updates: {
    title: 'Updates',
    description:
      'Tizona looks for a newer version only if you enter an address. It then reads that address at most once a day and shows a notice. It never downloads or installs anything.',
  },
} as const
export type SettingGroup = keyof typeof settingGroups

/** Custom controls of the settings page. `none`: no control of its own. */
export type SettingEditor =
  | 'endpoints'
  | 'toolset'
  | 'smallModel'
  | 'subAgentModel'
  | 'embeddingModel'
  | 'completionModel'
  | 'nextEditModel'
  | 'searxngUrl'
  | 'braveKey'
  | 'localOrigins'
  | 'mcpServers'
  | 'agents'
  | 'disabledTools'
  | 'approvalRules'
  | 'approvalNotifications'
  | 'rulers'
  | 'theme'
  | 'none'

interface SettingBase {
  group: SettingGroup
  title: string
  description: string
  /** Replaces the default control for the type. */
  editor?: SettingEditor
  /** Whether the control takes the full width of the page. */
  wide?: boolean
}

export interface BooleanSetting extends SettingBase {
  type: 'boolean'
  default: boolean
}

export interface ChoiceSetting extends SettingBase {
  type: 'choice'
  options: readonly string[]
  /** `detail` replaces the description while the option is selected. */
  texts: Readonly<Record<string, { label: string; detail?: string }>>
  default: string
  /** Converts the value in `settings.json` before validation. */
  normalize?: (stored: unknown) => unknown
}

export interface NumberSetting extends SettingBase {
  type: 'number'
  min: number
  max: number
  /** Step of the number field. 1 allows whole numbers only. */
  step: number
  default: number | null
  /** Whether the value can be `null`, which the user enters as an empty field. */
  nullable?: boolean
  /** Shown in an empty field. */
  placeholder?: string
  /** Whether the page shows the stored fraction in percent. */
  percent?: boolean
}

export interface TextSetting extends SettingBase {
  type: 'text'
  maxLength: number
  /** Whether the control is a field of one line. Default: a text area. */
  singleLine?: boolean
  default: string
}

/** A setting with its own schema in settings.ts and a custom control. */
export interface StructuredSetting extends SettingBase {
  type: 'structured'
  /** Type of the value, for docs/settings.md. */
  valueText: string
  editor: SettingEditor
  /** Absent if the setting can be missing. */
  default?: unknown
}

export type SettingDeclaration = BooleanSetting | ChoiceSetting | NumberSetting | TextSetting | StructuredSetting

/** Settings that are stored together as one object. */
export interface SettingSection {
  fields: Readonly<Record<string, SettingDeclaration>>
}

/** Maps the options of a choice to their texts. */
function optionTexts<T extends string>(
  options: readonly T[],
  textOf: (option: T) => { label: string; detail?: string },
): Record<string, { label: string; detail?: string }> {
  return Object.fromEntries(options.map((option) => [option, textOf(option)]))
}

export const settingsTable = {
  theme: {
    group: 'editor',
    title: 'Theme',
    description: '',
    type: 'choice',
    options: ['dark', 'light', 'system', 'hc-dark', 'hc-light', 'imported'],
    texts: {
      dark: { label: 'Dark' },
      light: { label: 'Light' },
      system: { label: 'System', detail: 'Follows the system, including its contrast setting.' },
      'hc-dark': { label: 'High contrast dark' },
      'hc-light': { label: 'High contrast light' },
      imported: { label: 'Imported theme' },
    },
    editor: 'theme',
    default: 'system',
  },
  importedTheme: {
    group: 'editor',
    title: 'Imported theme',
    description: 'File name in `themes/` of the user data folder, used by the theme `imported`.',
    type: 'text',
    maxLength: 200,
    // The `theme` control contains it.
    editor: 'none',
    default: '',
  },
  keymap: {
    group: 'editor',
    title: 'Keyboard shortcuts',
    description: '',
    type: 'choice',
    options: keymapChoices,
    texts: {
      vscode: { label: 'VS Code', detail: 'Change single shortcuts with “Keyboard shortcuts” in the Help menu.' },
      cursor: { label: 'VS Code, with Ctrl+K as in Cursor', detail: 'Ctrl+K edits inline. Ctrl+M starts the chords.' },
    },
    default: 'vscode',
  },
  restoreWindows: {
    group: 'editor',
    title: 'Windows at start',
    description: '',
    type: 'choice',
    options: restoreChoices,
    texts: {
      all: { label: 'All of the last session', detail: 'On the desktop. A folder given at start opens alone.' },
      last: { label: 'The last one in front', detail: 'On the desktop. A folder given at start opens alone.' },
      none: { label: 'An empty window', detail: 'On the desktop. A folder given at start opens alone.' },
    },
    default: 'all',
  },
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
    description: 'Use the toolset that suits the model family, if Tizona recognizes the name of the model.',
    type: 'boolean',
    // The `toolset` control contains it.
    editor: 'none',
    default: true,
  },
  disabledTools: {
    group: 'tools',
    title: 'Disabled tools',
    description: 'Main names of the tools that cannot be called, by toolset.',
    type: 'structured',
    valueText: 'object: toolset → list of tool names',
    editor: 'disabledTools',
    default: {},
  },
  endpoints: {
    group: 'models',
    title: 'Endpoints',
    description: 'Model servers.',
    type: 'structured',
    valueText: 'list of endpoints, see below',
    editor: 'endpoints',
    default: [],
  },
  model: {
    group: 'agent',
    title: 'Model',
    description: 'Model for new conversations. Select it below the message field.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`',
    editor: 'none',
  },
  temperature: {
    group: 'agent',
    title: 'Temperature',
    description: 'From 0 to 2. Lower values give more predictable answers.',
    type: 'number',
    min: 0,
    max: 2,
    step: 0.1,
    default: 0.2,
  },
  profile: {
    group: 'agent',
    title: 'Prompt profile',
    description: 'How much of the context window instructions and tools can use.',
    type: 'choice',
    options: profileChoices,
    texts: optionTexts(profileChoices, (choice) => profileTexts[choice]),
    default: 'auto',
  },
  compactAt: {
    group: 'agent',
    title: 'Summarize at (%)',
    description: 'Older messages are summarized when the conversation fills this share of the context window.',
    type: 'number',
    min: 0.3,
    max: 0.95,
    step: 0.01,
    default: 0.8,
    percent: true,
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
  smallModel: {
    group: 'agent',
    title: 'Small model',
    description: 'Writes titles and summaries instead of the main model. A model with 1B to 4B parameters is enough.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`; or `null`',
    editor: 'smallModel',
    default: null,
  },
  warmUp: {
    group: 'agent',
    title: 'Prepare the model',
    description:
      'When a new conversation opens, the model server reads instructions and tools in the background, so that the first answer starts sooner.',
    type: 'choice',
    options: ['local', 'always', 'off'],
    texts: {
      local: { label: 'On this machine' },
      always: {
        label: 'On every server',
        detail: 'Also on servers elsewhere, which may charge for it.',
      },
      off: { label: 'Off' },
    },
    default: 'local',
  },
  subAgentModel: {
    group: 'agent',
    title: 'Model for sub-agents',
    description:
      'Runs investigations and tasks that the model delegates, instead of the conversation’s model. A model on another server leaves the conversation’s prompt in its server’s cache.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`; or `null`',
    editor: 'subAgentModel',
    default: null,
  },
  embeddings: {
    group: 'agent',
    title: 'Embedding model',
    description:
      'Ranks what an investigation finds by meaning, not only by words. The passages it finds are sent to this model; secret files are not.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`; or `null`',
    editor: 'embeddingModel',
    default: null,
  },
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
        title: 'Also in comments and strings',
        description: '',
        type: 'boolean',
        default: true,
      },
      model: {
        group: 'completion',
        title: 'Completion model',
        description: 'A model that can fill in the middle of a text. One with 1B to 7B parameters is fast enough.',
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
        description: 'Fewer tokens are faster.',
        type: 'number',
        min: 16,
        max: 1024,
        step: 1,
        default: 128,
      },
    },
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
          'Names of variables that commands get in addition to those of the system and of toolchains, separated by commas. Variables with keys are not passed unless they are listed here.',
        type: 'text',
        maxLength: 2000,
        default: '',
        wide: true,
      },
    },
  },
  editor: {
    fields: {
      fontSize: {
        group: 'editor',
        title: 'Font size',
        description: 'In pixels.',
        type: 'number',
        min: 8,
        max: 40,
        step: 1,
        default: 13,
      },
      tabSize: {
        group: 'editor',
        title: 'Tab size',
        description: 'In columns.',
        type: 'number',
        min: 1,
        max: 16,
        step: 1,
        default: 4,
      },
      fontFamily: {
        group: 'editor',
        title: 'Font family',
        description: 'As in CSS, for example Fira Code, monospace. Empty: JetBrains Mono.',
        type: 'text',
        singleLine: true,
        maxLength: 500,
        default: '',
      },
      rulers: {
        group: 'editor',
        title: 'Rulers',
        description: 'Columns with a vertical line, separated by commas, for example 80, 120.',
        type: 'structured',
        valueText: 'list of columns, at most 20',
        editor: 'rulers',
        default: [],
      },
      autoSave: {
        group: 'editor',
        title: 'Auto save',
        description: '',
        type: 'choice',
        options: ['off', 'afterDelay', 'onFocusChange', 'onWindowChange'],
        texts: {
          off: { label: 'Off', detail: 'You save files yourself.' },
          afterDelay: {
            label: 'After a delay',
            detail: 'Saves when you have not typed for the delay. Does not format.',
          },
          onFocusChange: { label: 'When the editor loses the focus', detail: 'Also when you switch to another tab.' },
          onWindowChange: { label: 'When the window loses the focus', detail: '' },
        },
        default: 'off',
      },
      autoSaveDelay: {
        group: 'editor',
        title: 'Auto save delay (ms)',
        description: 'Used by “After a delay”.',
        type: 'number',
        min: 100,
        max: 600_000,
        step: 1,
        default: 1000,
      },
      formatOnSave: {
        group: 'editor',
        title: "Format on save with the project's formatter",
        description: '',
        type: 'boolean',
        default: false,
      },
      formatOnPaste: {
        group: 'editor',
        title: 'Format pasted text with the language server',
        description: 'Needs a server that formats parts of a file.',
        type: 'boolean',
        default: false,
      },
      trimTrailingWhitespace: {
        group: 'editor',
        title: 'Remove spaces at the ends of lines on save',
        description: '',
        type: 'boolean',
        default: false,
      },
      insertFinalNewline: {
        group: 'editor',
        title: 'End files with a line break on save',
        description: '',
        type: 'boolean',
        default: false,
      },
      fontLigatures: { group: 'editor', title: 'Font ligatures', description: '', type: 'boolean', default: false },
      wordWrap: { group: 'editor', title: 'Wrap long lines', description: '', type: 'boolean', default: false },
      minimap: { group: 'editor', title: 'Show the minimap', description: '', type: 'boolean', default: true },
      stickyScroll: {
        group: 'editor',
        title: 'Keep the enclosing functions visible at the top (sticky scroll)',
        description: '',
        type: 'boolean',
        default: true,
      },
      inlayHints: {
        group: 'editor',
        title: 'Show inlay hints',
        description: 'Shows types and parameter names from language servers within the code.',
        type: 'boolean',
        default: false,
      },
      breadcrumbs: { group: 'editor', title: 'Show breadcrumbs', description: '', type: 'boolean', default: true },
      bracketPairs: { group: 'editor', title: 'Color bracket pairs', description: '', type: 'boolean', default: true },
      diffSideBySide: {
        group: 'editor',
        title: 'Show diffs side by side',
        description: 'If off, diffs are inline. Narrow editors always show them inline.',
        type: 'boolean',
        default: true,
      },
      previewTabs: {
        group: 'editor',
        title: 'Open files in a preview tab with a single click',
        description: '',
        type: 'boolean',
        default: true,
      },
      vim: { group: 'editor', title: 'Vim keys', description: '', type: 'boolean', default: false },
      mouseWheelZoom: {
        group: 'editor',
        title: 'Zoom the text with Ctrl and the mouse wheel',
        description: '',
        type: 'boolean',
        default: false,
      },
    },
  },
  files: {
    fields: {
      encoding: {
        group: 'editor',
        title: 'Encoding of files',
        description:
          'For new files, and for files that do not show their encoding. Files with a byte order mark and valid UTF-8 are recognized. The file .editorconfig takes precedence.',
        type: 'choice',
        options: encodings,
        texts: optionTexts(encodings, (encoding) => {
          const { title, languages } = encodingTexts[encoding]
          return { label: languages === undefined ? title : `${title} (${languages})` }
        }),
        default: 'utf8',
      },
    },
  },
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
        description: 'Address of the npm registry from which servers are installed, if you install one.',
        type: 'text',
        singleLine: true,
        maxLength: 2000,
        default: 'https://registry.npmjs.org',
        wide: true,
      },
      updateImportsOnFileMove: {
        group: 'languages',
        title: 'Update imports when files move',
        description: 'After a move or rename in the explorer, if a language server knows the imports.',
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
          'Names of servers that run with your rights and network instead of in the sandbox, such as gopls or rust-analyzer. Code of the folder can then run with your rights.',
        type: 'text',
        singleLine: true,
        maxLength: 1000,
        default: '',
        wide: true,
      },
    },
  },
  approval: {
    fields: {
      rules: {
        group: 'approval',
        title: 'Rules for commands',
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
          'Changing them needs your approval in every mode, in addition to the built-in list. One per line, for example deploy/ or *.tf.',
        type: 'text',
        maxLength: 10_000,
        default: '',
        wide: true,
      },
      secretPaths: {
        group: 'approval',
        title: 'Secret files',
        description:
          'Reading them needs your approval too, and searches leave them out. One per line, in addition to the built-in list.',
        type: 'text',
        maxLength: 10_000,
        default: '',
        wide: true,
      },
    },
  },
  web: {
    fields: {
      enabled: {
        group: 'web',
        title: 'Allow tools to use the web',
        description: '',
        type: 'boolean',
        default: true,
        wide: true,
      },
      search: {
        group: 'web',
        title: 'Search engine',
        description: '',
        type: 'choice',
        options: searchProviders,
        texts: { duckduckgo: { label: 'DuckDuckGo' }, searxng: { label: 'SearXNG' }, brave: { label: 'Brave' } },
        default: 'duckduckgo',
      },
      searxngUrl: {
        group: 'web',
        title: 'SearXNG server URL',
        description: 'Can be on your local network. The server must allow the “json” format.',
        type: 'structured',
        valueText: 'http or https URL, or empty',
        editor: 'searxngUrl',
        default: '',
      },
      hasBraveKey: {
        group: 'web',
        title: 'Brave API key',
        description: 'Whether a key is stored. The key itself is in `secrets.json`.',
        type: 'boolean',
        editor: 'braveKey',
        default: false,
      },
      localOrigins: {
        group: 'web',
        title: 'Allowed local addresses',
        description:
          'Tools can only reach the public internet and these addresses. One origin per line, for example http://localhost:3000.',
        type: 'structured',
        valueText: 'list of origins, at most 50',
        editor: 'localOrigins',
        default: [],
        wide: true,
      },
    },
  },
  updateFeed: {
    group: 'updates',
    title: 'Update feed',
    description:
      'Address of a JSON document with “version” and “url”, or of the latest release in the API of GitHub. Empty: off.',
    type: 'text',
    maxLength: 2000,
    singleLine: true,
    default: '',
    wide: true,
  },
  history: {
    fields: {
      maxAgeDays: {
        group: 'history',
        title: 'Delete conversations after (days)',
        description: 'Days since the last change, checked at each start. Empty: never.',
        type: 'number',
        min: 1,
        max: 36_500,
        step: 1,
        nullable: true,
        default: null,
        placeholder: 'Never',
      },
      maxMegabytes: {
        group: 'history',
        title: 'Maximum size of conversations (MB)',
        description: 'The oldest are deleted first, at each start. Empty: no limit.',
        type: 'number',
        min: 1,
        max: 1_000_000,
        step: 1,
        nullable: true,
        default: null,
        placeholder: 'No limit',
      },
    },
  },
  mcp: {
    group: 'mcp',
    title: 'MCP servers',
    description: 'Your own MCP servers, and your choices for each server.',
    type: 'structured',
    valueText: 'object: `servers`, `choices`',
    editor: 'mcpServers',
    default: { servers: {}, choices: {} },
  },
  agents: {
    group: 'agents',
    title: 'Agents',
    description: 'Choose an agent below the message field.',
    type: 'structured',
    valueText: 'list of agents',
    editor: 'agents',
    default: [],
    wide: true,
  },
} as const satisfies Record<string, SettingDeclaration | SettingSection>

export type SettingsTable = typeof settingsTable

/** A declaration and its key in `settings.json`. */
export interface SettingRow {
  /** For example `theme`, or `editor.fontSize` in a section. */
  path: string
  section: string | null
  name: string
  declaration: SettingDeclaration
}

/** All settings, in the order of the table. */
export const settingRows: readonly SettingRow[] = Object.entries(settingsTable).flatMap(
  ([key, entry]: [string, SettingDeclaration | SettingSection]): SettingRow[] =>
    'fields' in entry
      ? Object.entries(entry.fields).map(([name, declaration]) => ({
          path: `${key}.${name}`,
          section: key,
          name,
          declaration,
        }))
      : [{ path: key, section: null, name: key, declaration: entry }],
)
