import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const file = resolve(import.meta.dirname, '../resources/team/compose.yaml')

interface Service {
  image?: string
  build?: object
  command?: string
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

/** Returns what is wrong with a compose file of docs/scale.md. */
function problemsOf({ services, networks, volumes }: Compose): string[] {
  const problems: string[] = []
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
  if (published.length !== 1 || published[0]?.[0] !== 'edge') problems.push('only edge publishes ports')
  const data = new Map<string, string>()
  for (const [name, service] of Object.entries(services)) {
    const report = (problem: string) => problems.push(`${name}: ${problem}`)
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
    ['an unknown volume', ['  grace-work:\n', ''], 'tizona-grace: unknown volume grace-work'],
  ])('%s is found', (_name, [before = '', after = ''], problem) => {
    expect(text).toContain(before)
    expect(problemsOf(compose(text.replace(before, after)))).toContain(problem)
  })

  it('has the origin of its command line in a form that Tizona accepts', async () => {
    const { parseAppArguments } = await import('../src/main/hosts/appArguments.ts')
    for (const { command = '' } of Object.values(compose().services)) {
      const args = /^node out\/main\/serve\.js (.*)$/.exec(command)?.[1]?.split(' ')
      if (args) expect(parseAppArguments(args)).toMatchObject({ folder: '/work', port: 4567, open: false })
    }
  })
})
