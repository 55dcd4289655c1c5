import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { maxExtensionBytes } from '../../../shared/extensions/extensions.ts'
import type { AddedPlugin } from '../../../shared/plugins/pluginRequests.ts'
import type { OfferedVersion, PluginChange, PluginContents, PluginInfo } from '../../../shared/plugins/plugins.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
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
    return await run(core, options, context)
  } finally {
    await core.dispose()
  }
}

async function run(core: Core, options: PluginsOptions, context: CommandContext): Promise<number> {
  const { handlers } = core
  const { output, interrupted } = context
  const { action, json, yes, name } = options
  const print = printer(options, context)
  switch (action) {
    case 'list': {
      for (const plugin of await handlers['plugins.list']({}, interrupted)) print(plugin)
      return exitCodes.done
    }
    case 'add': {
      const { outcome, plugin } = await addFrom(handlers, resolve(name), interrupted)
      if (yes && outcome !== 'offered') await trust(core, plugin, interrupted)
      print(await find(core, plugin.name, interrupted))
      if (outcome === 'offered')
        console.error(`Another version is installed. See "tizona plugins update ${plugin.name}".`)
      else if (!yes) console.error(`Nothing of it is used before "tizona plugins trust ${plugin.name}".`)
      return exitCodes.done
    }
    case 'check':
      return checkPlugins(core, options, context)
    case 'update': {
      const { offered, ...plugin } = await checked(core, await find(core, name, interrupted), interrupted)
      if (offered) await showUpdate(core, { ...plugin, offered }, options, context)
      else if (json) output.json({ name: plugin.name, update: null })
      else output.line(`${plugin.name}: no update.`)
      return exitCodes.done
    }
    case 'trust': {
      const plugin = await find(core, name, interrupted)
      await trust(core, plugin, interrupted)
      print({ ...plugin, state: 'trusted' })
      return exitCodes.done
    }
    case 'enable':
    case 'disable':
      await handlers['plugins.setEnabled']({ name, enabled: action === 'enable' }, interrupted)
      return exitCodes.done
    case 'remove':
      return remove(core, options, context)
  }
}

async function remove({ handlers }: Core, options: PluginsOptions, { interrupted }: CommandContext): Promise<number> {
  const { name, deleteData } = options
  const { files, size, path } = await handlers['plugins.data']({ name }, interrupted)
  await handlers['plugins.remove']({ name, deleteData }, interrupted)
  if (!deleteData && files > 0) console.error(`Its data stays (${formatSize(size)}): ${visibleText(path)}`)
  return exitCodes.done
}

const printer =
  ({ json }: PluginsOptions, { output }: CommandContext) =>
  (plugin: PluginInfo): void =>
    json ? output.json({ ...plugin }) : output.line(formatPlugin(plugin))

/** @throws ToolError `not_found` */
async function find({ handlers }: Core, name: string, signal: AbortSignal): Promise<PluginInfo> {
  const listed = await handlers['plugins.list']({}, signal)
  const found = listed.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (!found)
    throw new ToolError('not_found', `There is no plug-in "${visibleText(name)}".`, 'See "tizona plugins list".')
  return found
}

const trust = ({ handlers }: Core, { name, hash }: PluginInfo, signal: AbortSignal) =>
  handlers['plugins.trust']({ name, hash, trusted: true }, signal)

/** Returns a plug-in with its offer. One without an offer is compared with its source. @throws ToolError */
async function checked({ handlers }: Core, plugin: PluginInfo, signal: AbortSignal): Promise<PluginInfo> {
  if (plugin.offered) return plugin
  return (await handlers['plugins.check']({ name: plugin.name }, signal)).plugin
}

/** Compares plug-ins with their sources. A source that cannot be read leaves the others. */
async function checkPlugins(
  core: Core,
  { name, json }: PluginsOptions,
  { output, interrupted }: CommandContext,
): Promise<number> {
  const listed = await core.handlers['plugins.list']({}, interrupted)
  // An archive is not there to compare. It can have an offer, from another archive.
  const all = listed.filter(({ source, offered }) => source.kind === 'folder' || offered)
  let code: number = exitCodes.done
  for (const plugin of name === '' ? all : [await find(core, name, interrupted)]) {
    try {
      const isFolder = plugin.source.kind === 'folder'
      const { offered } = isFolder
        ? (await core.handlers['plugins.check']({ name: plugin.name }, interrupted)).plugin
        : await checked(core, plugin, interrupted)
      const version = offered ? offered.contents.version || offered.hash.slice(0, shownHash) : ''
      if (json) output.json({ name: plugin.name, update: offered ? updateOf(offered) : null })
      else output.line(offered ? `${plugin.name}: update ${visibleText(version)}` : `${plugin.name}: no update.`)
    } catch (error) {
      interrupted.throwIfAborted()
      const { message, next } = toFailure(error)
      console.error(`${plugin.name}: ${message} ${next}`.trim())
      code = exitCodes.failed
    }
  }
  return code
}

/** Digits of a hash that name a version on the command line. */
const shownHash = 32

const updateOf = ({ hash, contents }: OfferedVersion) => ({ version: contents.version, hash })

/** Prints the difference of an update. With `--yes`, accepts exactly what it printed. @throws ToolError */
async function showUpdate(
  { handlers }: Core,
  { name, offered }: PluginInfo & { offered: OfferedVersion },
  options: PluginsOptions,
  context: CommandContext,
): Promise<void> {
  const { hash } = offered
  const { output, interrupted } = context
  if (options.hash !== '' && !hash.startsWith(options.hash.toLowerCase()))
    throw new ToolError(
      'conflict',
      `The update of ${name} is ${hash.slice(0, shownHash)}, not ${visibleText(options.hash)}.`,
      `Review it with "tizona plugins update ${name}".`,
    )
  const changes = await handlers['plugins.changes']({ name, hash }, interrupted)
  if (options.json) output.json({ name, update: updateOf(offered), changes })
  else output.line(visibleText(formatChanges(changes)))
  if (options.yes) printer(options, context)(await handlers['plugins.accept']({ name, hash }, interrupted))
  else console.error(`"tizona plugins update ${name} --yes --hash ${hash.slice(0, shownHash)}" accepts this update.`)
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
    ...agents.map(
      (agent) =>
        `  sub-agent ${name}:${agent.name}${agent.model === undefined ? '' : ` (model ${agent.model})`}: ${agent.description}`,
    ),
    ...notUsed.map((part) => `  not used: ${part.name}: ${part.reason}`),
  ]
}

function formatChanges(changes: readonly PluginChange[]): string {
  const parts = changes.map(({ path, before, after, text }) => {
    const endings = `line endings or byte order mark: ${path}`
    if (text) return [text.diff.diff.trimEnd(), ...(text.endingsDiffer ? [endings] : [])].filter(Boolean).join('\n')
    const [one, other] = [before, after].map((facts) => (facts ? `${formatSize(facts.size)} ${facts.hash}` : 'missing'))
    return `no text to compare: ${path}: ${one} -> ${other}`
  })
  return [plural(changes.length, 'changed file'), ...parts].join('\n')
}
