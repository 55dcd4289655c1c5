import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codexSettings } from '../codexSettings.ts'

/** Where an agent runs. */
export interface AgentPlace {
  /** Folder into which the packages were installed. */
  installed: string
  /** Becomes the agent's home folder, so that it has no settings and no login. */
  home: string
  /** Of the scripted model, without `/v1`. */
  url: string
}

export interface RealAgent {
  name: string
  /** Packages in the registry, with the versions that were tested. */
  packages: Readonly<Record<string, string>>
  /** Writes settings into the home folder. */
  prepare?(place: AgentPlace): Promise<void>
  command(place: AgentPlace): { command: string; args: string[]; env: Record<string, string> }
}

async function writeSettings(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text)
}

/** Codex asks before commands and edits. */
const codexQuestions = ['approval_policy = "on-request"', 'sandbox_mode = "read-only"']

/** Other agents that support the Agent Client Protocol. */
export const realAgents: readonly RealAgent[] = [
  {
    name: 'opencode',
    packages: { 'opencode-ai': '1.18.33', 'opencode-linux-x64': '1.18.33' },
    prepare: ({ home, url }) =>
      writeSettings(
        join(home, '.config', 'opencode', 'opencode.json'),
        JSON.stringify({
          model: 'scripted/scripted',
          small_model: 'scripted/scripted',
          share: 'disabled',
          autoupdate: false,
          enabled_providers: ['scripted'],
          permission: { edit: 'ask', bash: 'ask' },
          provider: {
            scripted: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Scripted',
              options: { baseURL: `${url}/v1`, apiKey: 'none' },
              models: { scripted: { name: 'Scripted', limit: { context: 65536, output: 4096 } } },
            },
          },
        }),
      ),
    command: ({ installed }) => ({
      command: join(installed, 'node_modules/opencode-linux-x64/bin/opencode'),
      args: ['acp'],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
  },
  {
    name: 'Gemini CLI',
    packages: { '@google/gemini-cli': '0.61.0' },
    prepare: ({ home }) =>
      writeSettings(
        join(home, '.gemini', 'settings.json'),
        JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' } },
          general: { enableAutoUpdate: false, disableAutoUpdate: true },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          model: { name: 'gemini-2.5-flash' },
        }),
      ),
    command: ({ installed, url }) => ({
      command: process.execPath,
      args: [join(installed, 'node_modules/@google/gemini-cli/bundle/gemini.js'), '--acp'],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
    }),
  },
  {
    name: 'Codex (@agentclientprotocol/codex-acp)',
    packages: { '@agentclientprotocol/codex-acp': '2.6.0', '@openai/codex': '0.169.0' },
    prepare: ({ home, url }) => writeSettings(join(home, '.codex', 'config.toml'), codexSettings(url, codexQuestions)),
    command: ({ installed, home }) => ({
      command: process.execPath,
      args: [join(installed, 'node_modules/@agentclientprotocol/codex-acp/dist/index.js')],
      env: {
        CODEX_HOME: join(home, '.codex'),
        SCRIPTED_KEY: 'none',
        NO_BROWSER: '1',
        // In its default mode a model decides instead of the user.
        INITIAL_AGENT_MODE: 'read-only',
      },
    }),
  },
  {
    name: 'Codex (@zed-industries/codex-acp)',
    packages: { '@zed-industries/codex-acp': '0.16.0' },
    prepare: ({ home, url }) => writeSettings(join(home, '.codex', 'config.toml'), codexSettings(url, codexQuestions)),
    command: ({ installed, home }) => ({
      command: join(installed, 'node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp'),
      args: [],
      env: { CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'none', OPENAI_API_KEY: 'none' },
    }),
  },
  {
    name: 'Qwen Code',
    packages: { '@qwen-code/qwen-code': '0.24.4' },
    command: ({ installed, url }) => ({
      command: process.execPath,
      args: [join(installed, 'node_modules/@qwen-code/qwen-code/cli-entry.js'), '--acp', '--auth-type', 'openai'],
      env: {
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: 'scripted',
        QWEN_TELEMETRY_ENABLED: 'false',
      },
    }),
  },
]
