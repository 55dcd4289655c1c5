import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codexSettings } from '../codexSettings.ts'
import { installPackage, packageFolder } from '../registryPackage.ts'

const root = join(import.meta.dirname, '..', '..')
const installed = packageFolder('agents')

/** A folder and a scripted endpoint for one run of an agent. */
export interface RunPlace {
  /** Becomes the agent's home folder, so that it has no settings and no history. */
  home: string
  workspace: string
  url: string
}

export interface Peer {
  name: string
  /** The package in the registry. Not a dependency: installed on demand in the ignored `.cache`. */
  package?: string
  version?: string
  /** Writes settings into the home folder. */
  prepare?(place: RunPlace): Promise<void>
  command(place: RunPlace): { args: string[]; env: Record<string, string> }
}

const bin = (name: string) => join(installed, 'node_modules', '.bin', name)
const prompt = 'Read the files and sum them up.'

/** @param profile prompt profile. Default: the automatic one */
export function tizona(toolset: string, profile?: string): Peer {
  return {
    name: `Tizona, ${toolset}${profile === undefined ? '' : `, ${profile}`}`,
    command: ({ home, workspace, url }) => ({
      args: [
        join(root, 'out/main/headless.js'),
        'run',
        prompt,
        `--workspace=${workspace}`,
        `--endpoint=${url}`,
        '--model=scripted',
        '--kind=openai',
        `--toolset=${toolset}`,
        ...(profile === undefined ? [] : [`--profile=${profile}`]),
      ],
      env: { TIZONA_USER_DATA: join(home, 'tizona'), TIZONA_NO_DISCOVERY: '1', TIZONA_API_KEY: 'none' },
    }),
  }
}

/** Tizona and the agents it is compared with. Each runs one prompt without a window and without approvals. */
export const peers: readonly Peer[] = [
  tizona('blade'),
  tizona('rusty'),
  {
    name: 'pi',
    package: '@earendil-works/pi-coding-agent',
    // Newer versions need packages that were not published with them, e.g. pi-codemode 1.5.2.
    version: '0.87.1',
    async prepare({ home, url }) {
      const folder = join(home, '.pi', 'agent')
      await mkdir(folder, { recursive: true })
      const provider = {
        baseUrl: `${url}/v1`,
        api: 'openai-completions',
        apiKey: 'none',
        models: [{ id: 'scripted' }],
      }
      await writeFile(join(folder, 'models.json'), JSON.stringify({ providers: { scripted: provider } }))
    },
    command: () => ({
      args: [bin('pi'), '--provider', 'scripted', '--model', 'scripted', '--no-session', '-p', prompt],
      env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    }),
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    version: '0.169.0',
    async prepare({ home, url }) {
      await mkdir(join(home, '.codex'), { recursive: true })
      await writeFile(join(home, '.codex', 'config.toml'), codexSettings(url))
    },
    command: ({ home }) => ({
      args: [bin('codex'), 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
      env: { CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'none' },
    }),
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    async prepare({ home }) {
      await mkdir(join(home, '.qwen'), { recursive: true })
      const settings = {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
      }
      await writeFile(join(home, '.qwen', 'settings.json'), JSON.stringify(settings))
    },
    command: ({ url }) => ({
      args: [bin('qwen'), '--yolo', '-p', prompt],
      env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' },
    }),
  },
]

/** Installs an agent if necessary. @returns why it cannot run; undefined if it can */
export async function install({ package: name, version }: Peer): Promise<string | undefined> {
  if (name === undefined || version === undefined) return undefined
  return installPackage(installed, { name, version })
}
