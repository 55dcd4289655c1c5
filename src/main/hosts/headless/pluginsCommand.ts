import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { maxExtensionBytes } from '../../../shared/extensions/extensions.ts'
import type { AddedPlugin } from '../../../shared/plugins/pluginRequests.ts'
import type { PluginChange, PluginContents, PluginInfo } from '../../../shared/plugins/plugins.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Core } from '../../core.ts'
import { UsageError } from '../appArguments.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { exitCodes } from './commandHelp.ts'
import { parsePlugins, type PluginsOptions } from './commandOptions.ts'

/**
 * `tizona plugins`: adds, lists, updates and removes plug-ins.
 * @throws UsageError
 */
export async function pluginsCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = parsePlugins(args)
  const core = await openCore(context)
  try {
    await run(core, options, context)
    return exitCodes.done
  } finally {
    await core.dispose()
  }
}

async function run(
  { handlers }: Core,
  options: PluginsOptions,
  { output, interrupted }: CommandContext,
): Promise<void> {
  const { action, json, yes } = options
  const print = (plugin: PluginInfo) => (json ? output.json({ ...plugin }) : output.line(formatPlugin(plugin)))
  const find = async (name: string) =>
    (await handlers['plugins.list']({}, interrupted)).find((each) => each.name.toLowerCase() === name.toLowerCase())
  const trust = ({ name, hash }: PluginInfo) => handlers['plugins.trust']({ name, hash, trusted: true }, interrupted)

  switch (action) {
    case 'list': {
      for (const plugin of await handlers['plugins.list']({}, interrupted)) print(plugin)
      return
    }
    case 'add': {
      const { outcome, plugin } = await addFrom(handlers, resolve(options.name), interrupted)
      if (yes && outcome !== 'offered') await trust(plugin)
      print((await find(plugin.name)) ?? plugin)
      if (outcome === 'offered')
        console.error(`Another version is installed. See "tizona plugins update ${plugin.name}".`)
      else if (!yes) console.error(`Nothing of it is used before "tizona plugins trust ${plugin.name}".`)
      return
    }
    case 'check':
    case 'update': {
      const listed = await handlers['plugins.list']({}, interrupted)
      const names = options.name === '' ? listed.map(({ name }) => name) : [options.name]
      for (const name of names) {
        const known = listed.find((each) => each.name.toLowerCase() === name.toLowerCase())
        if (known && known.source.kind !== 'folder' && options.name === '' && !known.offered) continue
        const isKnown = action === 'update' && known?.offered !== undefined
        const plugin = isKnown ? known : (await handlers['plugins.check']({ name }, interrupted)).plugin
        const { offered } = plugin
        if (!offered) output.line(`${plugin.name}: no update.`)
        else if (action === 'check') output.line(`${plugin.name}: update ${offered.contents.version}`.trimEnd())
        else {
          const changes = await handlers['plugins.changes']({ name, hash: offered.hash }, interrupted)
          output.line(visibleText(formatChanges(changes)))
          if (yes) print(await handlers['plugins.accept']({ name, hash: offered.hash }, interrupted))
          else console.error('Add --yes to accept this update.')
        }
      }
      return
    }
    case 'trust': {
      const plugin = await find(options.name)
      if (!plugin) throw new UsageError(`There is no plug-in "${options.name}".`)
      await trust(plugin)
      print({ ...plugin, state: 'trusted' })
      return
    }
    case 'enable':
    case 'disable':
      return handlers['plugins.setEnabled']({ name: options.name, enabled: action === 'enable' }, interrupted)
    case 'remove':
      return handlers['plugins.remove']({ name: options.name }, interrupted)
  }
}

async function addFrom(handlers: Core['handlers'], place: string, signal: AbortSignal): Promise<AddedPlugin> {
  const found = await stat(place).catch(() => null)
  if (found === null) throw new UsageError(`${place} does not exist.`)
  if (found.isDirectory()) return handlers['plugins.addFolder']({ path: place }, signal)
  if (found.size > maxExtensionBytes) throw new UsageError(`${place} is larger than ${formatSize(maxExtensionBytes)}.`)
  const data = (await readFile(place)).toString('base64')
  return handlers['plugins.addArchive']({ name: basename(place), data }, signal)
}

/** Formats a plug-in with every part that it brings. */
function formatPlugin({ name, contents, state, changedFiles, enabled, hash, source, offered }: PluginInfo): string {
  const facts = [contents.version, state, ...(enabled ? [] : ['disabled'])].filter(Boolean).join(', ')
  const lines = [
    `${name} (${facts})`,
    `  from ${source.kind === 'folder' ? source.path : source.name}, SHA-256 ${hash}`,
    ...(changedFiles.length > 0 ? [`  changed files: ${changedFiles.slice(0, 10).join(', ')}`] : []),
    ...(offered ? [`  update: ${offered.contents.version || offered.hash.slice(0, 16)}`] : []),
    ...partLines(name, contents),
  ]
  return visibleText(lines.join('\n'))
}

function partLines(name: string, { hooks, servers, prompts, skills, agents, notUsed }: PluginContents): string[] {
  return [
    ...hooks.map(
      ({ event, matcher, command }) => `  hook ${event}${matcher === '' ? '' : ` (${matcher})`}: ${command}`,
    ),
    ...servers.map((server) => `  MCP server ${name}:${server.name}: ${JSON.stringify(server.definition)}`),
    ...prompts.map((prompt) => `  prompt /${name}:${prompt.name}: ${prompt.description}`),
    ...skills.map((skill) => `  skill ${name}:${skill.name}: ${skill.description}`),
    ...agents.map((agent) => `  sub-agent ${name}:${agent.name}: ${agent.description}`),
    ...notUsed.map((part) => `  not used: ${part.name}: ${part.reason}`),
  ]
}

function formatChanges(changes: readonly PluginChange[]): string {
  const parts = changes.map(({ path, before, after, text }) => {
    const endings = `line endings or byte order mark: ${path}`
    if (text) return [text.diff.diff.trimEnd(), ...(text.endingsDiffer ? [endings] : [])].filter(Boolean).join('\n')
    const [one, other] = [before, after].map((facts) => (facts ? `${formatSize(facts.size)} ${facts.hash}` : 'missing'))
    return `binary or large: ${path}: ${one} -> ${other}`
  })
  return [plural(changes.length, 'changed file'), ...parts].join('\n')
}
