import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommand } from '../../src/main/hosts/headless/commandDispatch.ts'
import { createOutput } from '../../src/main/hosts/headless/standardOutput.ts'
import { call, say, step, type ScenarioTurn } from '../../src/main/model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../../src/main/model/scripted/scriptedEndpoint.ts'
import type { ToolsetName } from '../../src/shared/tools/risk.ts'

// Records the cassettes: `node e2e/cassettes/record.ts`. A scripted model works in a copy of e2e/fixtures/till with each
// toolset, and the conversations are exported. Look at the difference before you commit a new recording: each changed
// line is a changed answer of a tool.

type Call = readonly [name: string, args: Record<string, unknown>]

/**
 * The same small task, as models of each family would do it: look, repair, check, tidy up. Without calls whose answer
 * differs from run to run: searches that state how far the index is, times, and places outside the folder.
 */
const sessions: Readonly<Record<ToolsetName, readonly (readonly Call[])[]>> = {
  blade: [
    [
      ['list_dir', { path: '.' }],
      ['read_file', { path: 'src/till.js' }],
    ],
    [['grep_search', { pattern: 'format\\(' }]],
    [['find_files_glob', { pattern: '**/*.js' }]],
    [['read_file_range', { path: 'src/till.js', start_line: 3, end_line: 8 }]],
    [['read_many_files', { paths: ['src/*.js'] }]],
    [['find_files', { pattern: 'till' }]],
    [['codebase_search', { query: 'price', file_pattern: '*.js' }]],
    [['get_workspace_structure', { depth: 2 }]],
    [['symbol_outline', { path: 'src/till.js' }]],
    [['symbol_resolve', { path: 'src/till.js', name: 'receipt' }]],
    [['todo_write', { todos: [{ content: 'Round the sum', status: 'in_progress' }] }]],
    [['apply_patch', { path: 'src/till.js', old_text: '  return sum\n', new_text: '  return Math.round(sum)\n' }]],
    [['edit_file', { path: 'README.md', old_content: '# Till', new_content: '# The till' }]],
    [['write_file', { path: 'src/tax.js', content: 'export const tax = (sum) => sum * 0.1\n' }]],
    [['apply_patch', { path: 'src/till.js', old_text: 'missing text', new_text: 'x' }]],
    [['run_command', { command: 'cat src/tax.js && wc -l < docs/prices.csv' }]],
    [['create_directory', { path: 'archive' }]],
    [['copy_file', { source: 'docs/prices.csv', destination: 'docs/old.csv' }]],
    [['move_file', { source: 'docs/old.csv', destination: 'docs/older.csv' }]],
    [['delete_file', { path: 'docs/older.csv' }]],
    [['batch', { calls: [{ tool: 'read_file', arguments: { path: 'README.md' } }], ordered: true }]],
    [['read_file', { path: '../outside.txt' }]],
  ],
  ultrasushitron: [
    [['ListDir', { path: '.', depth: 2 }]],
    [['Read', { file_path: 'src/till.js', offset: 2, limit: 4 }]],
    [['Grep', { pattern: 'price', output_mode: 'content' }]],
    [['Find', { pattern: '*.js' }]],
    [['Edit', { file_path: 'src/till.js', old_string: 'let sum = 0', new_string: 'let sum = 0 // cents' }]],
    [
      [
        'Patch',
        {
          file_path: 'src/format.js',
          patch:
            '@@ -1,2 +1,2 @@\n-// Prices are in cents.\n+// All prices are in cents.\n export function format({ name, price, count }) {\n',
        },
      ],
    ],
    [['Write', { file_path: 'notes.txt', content: 'one\ntwo\n' }]],
    [['Diff', { file_a: 'notes.txt', text_b: 'one\nthree\n' }]],
    [['Bash', { command: 'sort -r notes.txt; exit 2' }]],
    [['Edit', { file_path: 'notes.txt', old_string: 'four', new_string: 'five' }]],
  ],
  rustant: [
    [['file_list', { path: '.' }]],
    [['file_read', { path: 'src/till.js', start_line: 3, end_line: 8 }]],
    [['file_search', { pattern: 'sum' }]],
    [['document_read', { path: 'docs/prices.csv' }]],
    [['smart_edit', { path: 'src/till.js', location: 'let sum = 0', operation: 'replace', content: '  let sum = 1' }]],
    [['file_patch', { path: 'README.md', patch: '@@ -1 +1 @@\n-# Till\n+# A till\n' }]],
    [['file_write', { path: 'src/tax.js', content: 'export const tax = 0.1\n' }]],
    [['shell_exec', { command: 'head -n 1 src/tax.js README.md' }]],
    [['git_status', {}]],
    [['calculator', { expression: '(50*3 + 70*2) / 100' }]],
    [['echo', { text: 'done' }]],
  ],
  rusty: [
    [['file_read', { path: 'src/format.js' }]],
    [['file_edit', { path: 'src/format.js', old_string: '(price / 100)', new_string: '(price / 1000)' }]],
    [
      [
        'apply_patch',
        {
          patch:
            '*** Begin Patch\n*** Update File: README.md\n@@\n-# Till\n+# Our till\n*** Add File: src/new.js\n+export {}\n*** End Patch',
        },
      ],
    ],
    [['file_write', { path: 'docs/more.md', content: 'More.\n' }]],
    [['file_read', { path: 'src/new.js' }]],
    [['file_edit', { path: 'src/format.js', old_string: 'absent', new_string: 'x' }]],
  ],
}

/** Runs one session and returns its export. */
async function record(toolset: ToolsetName): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-cassette-')))
  const workspace = join(home, 'till')
  const steps = sessions[toolset].map((calls, index) =>
    step(`answer ${index + 1}`, ...calls.map(([name, args]) => call(name, args))),
  )
  const turns: ScenarioTurn[] = [{ prompt: /./, steps: [...steps, step('end', say('Done.'))] }]
  const endpoint = await startScriptedEndpoint({ name: toolset, contextWindow: 65_536, turns })
  async function tizona(...args: string[]): Promise<string> {
    const stream = new PassThrough()
    let out = ''
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    const code = await runCommand(args, { output: createOutput(stream), userData: join(home, 'user') })
    if (code !== 0) throw new Error(`tizona ${args[0]} ended with ${code}: ${out.slice(-2000)}`)
    return out
  }
  try {
    await cp(join(import.meta.dirname, '../fixtures/till'), workspace, { recursive: true })
    const options = ['--toolset', toolset, '--mode', 'yolo', '--endpoint', endpoint.url, '--model', 'scripted']
    const ran = await tizona('run', `Repair the till with ${toolset}.`, '--workspace', workspace, ...options)
    // The first line is the event `run.started`.
    const { conversationId } = JSON.parse(ran.split('\n', 1)[0] ?? '') as { conversationId: string }
    return portable(await tizona('export', conversationId, '--format', 'json'))
  } finally {
    await endpoint.close()
    await rm(home, { recursive: true, force: true })
  }
}

/** Removes what differs in each recording: times, ids and context sizes. */
function portable(text: string): string {
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
  const withIds = numbered(numbered(text, uuid, 'id-'), /\bcall_[0-9a-z]{9}\b/g, 'call_')
  const named = numbered(withIds, /\bjob-[0-9a-f]{6}\b/g, 'job-')
    .replaceAll(/(?<=elapsed_ms\\": )[\d.]+/g, '0')
    .replaceAll(/(?<=\[exit \d+ after )[\d.]+(?= s\b)/g, '0.0')
  const value: unknown = JSON.parse(named, (key, field: unknown) =>
    ['at', 'endedAt', 'startedAt', 'createdAt', 'updatedAt', 'elapsedMs'].includes(key)
      ? 0
      : ['usage', 'context', 'callId', 'editId'].includes(key) && typeof field !== 'string'
        ? undefined
        : field,
  )
  return `${JSON.stringify(value, null, 1)}\n`
}

/** Replaces ids by their number in the order of their first occurrence. */
function numbered(text: string, pattern: RegExp, prefix: string): string {
  const names = new Map<string, string>()
  return text.replaceAll(pattern, (id) => {
    const name = names.get(id) ?? `${prefix}${names.size + 1}`
    names.set(id, name)
    return name
  })
}

if (import.meta.main) {
  for (const toolset of ['blade', 'ultrasushitron', 'rustant', 'rusty'] as const) {
    const file = join(import.meta.dirname, `${toolset}.json`)
    const before = await readFile(file, 'utf8').catch(() => '')
    const now = await record(toolset)
    if (now !== before) await writeFile(file, now)
    console.log(`${toolset}: ${now === before ? 'unchanged' : 'recorded'}`)
  }
}
