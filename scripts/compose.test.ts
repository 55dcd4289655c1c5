import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const folder = resolve(import.meta.dirname, '../resources/team')
const file = join(folder, 'compose.yaml')

interface Service {
  image?: string
  build?: object
  command?: string
  profiles?: string[]
  ports?: string[]
  networks?: string[]
  network_mode?: string
  volumes?: string[]
  environment?: Record<string, string>
  privileged?: boolean
  user?: string
  read_only?: boolean
  cap_drop?: string[]
}
interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean } | null>
  volumes: Record<string, null>
}

/** Keys of services that the file uses. Docker Compose refuses keys that it does not know. */
const serviceKeys = new Set(
  (
    'build cap_drop command deploy entrypoint environment image mem_limit network_mode networks pids_limit ports ' +
    'privileged profiles read_only restart security_opt stdin_open tmpfs user volumes'
  ).split(' '),
)

/** Returns what is wrong with a compose file of docs/scale.md. */
function problemsOf({ services, networks, volumes }: Compose): string[] {
  const problems: string[] = []
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  if (published.length !== 1 || published[0]?.[0] !== 'edge') problems.push('only edge publishes ports')
  const data = new Map<string, string>()
  for (const [name, service] of Object.entries(services)) {
    const report = (problem: string) => problems.push(`${name}: ${problem}`)
    for (const key of Object.keys(service)) if (!serviceKeys.has(key)) report(`unknown key ${key}`)
    if (service.image !== undefined && !/:[\w.-]*\d+\.\d+/.test(service.image)) report('image without a version')
    if (service.privileged) report('is privileged')
    for (const network of service.networks ?? []) if (!(network in networks)) report(`unknown network ${network}`)
    const { network_mode: mode } = service
    if (mode !== undefined && services[mode.replace('service:', '')] === undefined) report(`unknown service in ${mode}`)
    for (const volume of service.volumes ?? []) {
      const [source = '', target] = volume.split(':')
      if (source.startsWith('.')) {
        if (!volume.endsWith(':ro')) report(`${source} can be written`)
      } else if (!(source in volumes)) report(`unknown volume ${source}`)
      if (!name.startsWith('tizona-')) continue
      const owner = data.get(source)
      if (owner !== undefined) report(`shares ${String(target)} with ${owner}`)
      data.set(source, name)
    }
    for (const network of name.startsWith('tizona-') ? (service.networks ?? []) : []) {
      const owner = data.get(network)
      if (owner !== undefined) report(`shares the network ${network} with ${owner}`)
      data.set(network, name)
    }
    if (name.startsWith('tizona-')) checkUser(name.slice('tizona-'.length), service, services, report)
    // A network without internet access: models come from a service that runs once before.
    const isOffline = (service.networks ?? []).every((network) => networks[network]?.internal)
    const model = /--model (\S+)/.exec(service.command ?? '')?.[1]
    if (model !== undefined && isOffline && services['download']?.command !== model)
      report(`nothing downloads ${model}`)
    for (const [key, value] of Object.entries(service.environment ?? {}))
      if (/KEY|TOKEN|SECRET|PASSWORD/.test(key) && !value.startsWith('${')) report(`${key} is in the file`)
  }
  return problems
}

function checkUser(
  user: string,
  { command = '', networks, user: account, read_only: readOnly, cap_drop: capabilities }: Service,
  services: Record<string, Service>,
  report: (problem: string) => void,
): void {
  const origin = /--public-origin (https:\/\/\S+)/.exec(command)?.[1]
  if (origin === undefined || !new URL(origin).hostname.startsWith(`${user}.`)) report('no public origin of its own')
  if (!command.includes('--no-open')) report('opens a window')
  if (account === undefined || /^(0|root)\b/.test(account)) report('runs as root')
  if (readOnly !== true || capabilities?.includes('ALL') !== true) report('is not restricted')
  if (networks?.includes('models') === true) report('reaches the model server without the gateway')
  const proxy = services[`proxy-${user}`]
  if (proxy?.network_mode !== `service:tizona-${user}`) report('has no proxy of its own')
  if (origin !== undefined && proxy?.environment?.['USER_ORIGIN'] !== new URL(origin).host)
    report('has a proxy of another origin')
}

// Checked by parsing, because Docker may not be installed.
const text = readFileSync(file, 'utf8')
const compose = (source = text): Compose => parse(source, { merge: true }) as Compose

describe('the compose file of docs/scale.md', () => {
  it('keeps its rules', () => {
    expect(problemsOf(compose())).toEqual([])
  })

  it.each([
    ['a port of Tizona', ['    stdin_open: true', "    ports: ['4567:4567']"], 'only edge publishes ports'],
    ['a shared data folder', ['grace-data:/data', 'ada-data:/data'], 'tizona-grace: shares /data with tizona-ada'],
    [
      'a shared network',
      ['networks: [grace]', 'networks: [ada]'],
      'tizona-grace: shares the network ada with tizona-ada',
    ],
    [
      'no public origin',
      [' --public-origin https://ada.tizona.example', ''],
      'tizona-ada: no public origin of its own',
    ],
    ['the origin of another user', ['https://grace.', 'https://ada.'], 'tizona-grace: no public origin of its own'],
    ['root', ["user: '1000:1000'", "user: '0:0'"], 'tizona-ada: runs as root'],
    ['a moving image', ['caddy:2.10.2', 'caddy:latest'], 'proxy-ada: image without a version'],
    [
      'a key in the file',
      ['${LITELLM_MASTER_KEY:?set it in .env}', 'sk-1'],
      'gateway: LITELLM_MASTER_KEY is in the file',
    ],
    [
      'a model that is not downloaded',
      ['    command: Qwen/Qwen3-Coder-30B-A3B-Instruct', '    command: another'],
      'vllm: nothing downloads Qwen/Qwen3-Coder-30B-A3B-Instruct',
    ],
    ['a misspelled key', ['    stdin_open: true', '    stdin_opn: true'], 'tizona-ada: unknown key stdin_opn'],
    ['an unknown volume', ['  grace-work:\n', ''], 'tizona-grace: unknown volume grace-work'],
  ])('%s is found', (_name, [before = '', after = ''], problem) => {
    expect(text).toContain(before)
    expect(problemsOf(compose(text.replace(before, after)))).toContain(problem)
  })

  it('has the origin of its command line in a form that Tizona accepts', async () => {
    const { parseAppArguments } = await import('../src/main/hosts/appArguments.ts')
    for (const { command = '' } of Object.values(compose().services)) {
      const args = /^node out\/main\/serve\.js (.*)$/.exec(command)?.[1]?.split(' ')
      if (args) expect(parseAppArguments(args)).toMatchObject({ target: '/work', port: 4567, open: false })
    }
  })

  it('has the same model for vLLM, its download and the gateway', () => {
    const model = compose().services['download']?.command ?? ''
    expect(readFileSync(join(folder, 'litellm.yaml'), 'utf8')).toContain(`model: hosted_vllm/${model}\n`)
  })

  it('builds an image without the keys of .env, which is beside it', () => {
    const ignored = readFileSync(join(folder, 'Dockerfile.dockerignore'), 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['**/.env*', '.git', 'node_modules']))
  })

  it.each(['Caddyfile', 'Edgefile'])('nothing in the network of the proxy can change it: %s', (name) => {
    // The options of all sites are the first block.
    const options = /^\{([^}]*)\}/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1]
    expect(options?.split('\n').map((line) => line.trim())).toContain('admin off')
  })

  it('removes the name of the user that a client sends before the sign-in sets it', () => {
    // Outside `route`, Caddy runs request_header after forward_auth, which removes the name that was just set.
    const lines = readFileSync(join(folder, 'Edgefile'), 'utf8')
      .split('\n')
      .map((line) => line.trim())
    const places = [
      'route {',
      'request_header -X-Signed-In-User',
      'forward_auth signin:9091 {',
      'reverse_proxy {args[0]}:8080',
    ]
    const found = places.map((line) => lines.indexOf(line))
    expect(found).not.toContain(-1)
    expect(found).toEqual(found.toSorted((a, b) => a - b))
  })
})
