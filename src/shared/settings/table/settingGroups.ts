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
  hooks: {
    title: 'Hooks',
    description:
      'Programs that a trusted folder defines in .claude/settings.json, .claude/settings.local.json or .codex/hooks.json. They run in the command sandbox, without network, when the agent calls a tool or ends a turn. Each runs only after you approve it, and again needs approval when it or a script that it names changes.',
  },
  agents: {
    title: 'External agents',
    description:
      'Other agents that support the Agent Client Protocol (ACP). Each runs in its own process, in trusted folders only. Its file access and commands need the same approvals, and its changes appear in the review. Only the sandbox limits what its own process does.',
  },
  tools: {
    title: 'Tools',
    description:
      'Disabled tools are not offered to models and cannot be called from the chat, tool console, command line or MCP clients.',
  },
  commands: {
    title: 'Commands',
    description:
      'A sandboxed command can change files only in the workspace, cannot see your home folder or files with keys, and has no network access unless its card says so. Without the sandbox, an allowed command can do everything that you can do. Your own terminals are not sandboxed.',
  },
  editor: { title: 'Appearance and editor', description: '' },
  languages: {
    title: 'Language servers',
    description:
      'Language servers find errors while you type, complete code and rename symbols. They run only in folders that you trust.',
  },
  debug: {
    title: 'Debugger',
    description: 'Debuggers and the debugged programs run in the command sandbox, in trusted folders only.',
  },
  history: {
    title: 'Stored data',
    description:
      'Conversations are kept until you delete them, unless you set a limit. The oldest checkpoints of a folder are always deleted if there are more than 200 or they take more than 1 GB. Pinned conversations and unsaved text are never deleted.',
  },
  updates: {
    title: 'Updates',
    description:
      'Tizona checks for a newer version only if you enter a URL. It then requests that URL at most once a day and shows a notice. It never downloads or installs anything.',
  },
} as const
export type SettingGroup = keyof typeof settingGroups
