import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allFeatures } from '../base/features.ts'
import { expectFailure } from '../workspace/testing/disk.ts'
import { applyPatch as bladePatch } from './blade/bladeApplyPatch.ts'
import { resolveCall } from './arguments/resolveCall.ts'
import { filePatch } from './rustant/filePatch.ts'
import { applyPatch as rustyPatch } from './rusty/rustyApplyPatch.ts'
import { parametersSchema } from './schema/toolSchema.ts'
import { temporaryFolder, testContext, type TestContext } from './testing/toolContext.ts'
import type { Tool } from './common/toolDefinition.ts'
import { patch as ultraPatch } from './ultrasushitron/patchTool.ts'

const forms: Readonly<Record<string, string>> = {
  'a unified diff': '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
  'a diff without line numbers': '--- f.txt\n+++ f.txt\n@@\n one\n-two\n+2\n',
  'the envelope': '*** Begin Patch\n*** Update File: f.txt\n one\n-two\n+2\n*** End Patch',
  'the envelope without its first line': '*** Update File: f.txt\n one\n-two\n+2\n*** End Patch',
  'an indented envelope': '  *** Begin Patch\n  *** Update File: f.txt\n   one\n  -two\n  +2\n  *** End Patch',
  'search and replace blocks': 'f.txt\n<<<<<<< SEARCH\none\ntwo\n=======\none\n2\n>>>>>>> REPLACE\n',
  "blocks with Cline's marks": 'f.txt\n------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE\n',
}
const calls: readonly { name: string; tool: Tool; args(patch: string): Record<string, unknown> }[] = [
  { name: 'apply_patch of Blade', tool: bladePatch, args: (patch) => ({ path: 'f.txt', patch }) },
  { name: 'apply_patch of Blade without a path', tool: bladePatch, args: (input) => ({ input }) },
  { name: 'apply_patch of Rusty', tool: rustyPatch, args: (patch) => ({ patch }) },
  { name: 'file_patch', tool: filePatch, args: (patch) => ({ path: 'f.txt', patch }) },
  { name: 'Patch', tool: ultraPatch, args: (patch) => ({ file_path: 'f.txt', patch }) },
]

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let context: TestContext
beforeEach(async () => {
  folder = await temporaryFolder({ 'f.txt': 'one\ntwo\nthree\n', 'other.txt': 'two\n' })
  context = await testContext(folder.root)
})
afterEach(() => folder.remove())

/** Returns the arguments as parsed by the executor. */
const read = (tool: Tool, args: Record<string, unknown>) =>
  resolveCall({ toolset: 'blade', tools: [tool], find: () => tool }, tool.name, args, allFeatures, false).values
const run = async (tool: Tool, args: Record<string, unknown>) => tool.run(read(tool, args), context)
const onDisk = (name = 'f.txt') => readFile(path.join(folder.root, name), 'utf8')

describe.each(calls)('$name accepts', ({ tool, args }) => {
  test.each(Object.entries(forms))('%s', async (_, patch) => {
    const given = args(patch)
    expect(tool.writes?.(read(tool, given))).toEqual(['f.txt'])
    await run(tool, given)
    expect(await onDisk()).toBe('one\n2\nthree\n')
  })

  test('no conflict markers with an ambiguous separator', async () => {
    const failure = await expectFailure(
      run(tool, args('f.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n=======\n2\n>>>>>>> REPLACE\n')),
      'invalid_arguments',
    )
    expect(failure.next).toContain('more characters')
    expect(await onDisk()).toBe('one\ntwo\nthree\n')
  })
})

test('a dry run of Patch writes nothing, in any patch format', async () => {
  for (const patch of Object.values(forms)) {
    expect((await run(ultraPatch, { file_path: 'f.txt', patch, dry_run: true })).text).toMatch(
      /^Dry run: nothing was written\. The whole patch would apply[^]*-two\n\+2/,
    )
  }
  expect(await onDisk()).toBe('one\ntwo\nthree\n')
})

test('tools for one file refuse a patch of other files', async () => {
  const envelope = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
  for (const [tool, name] of [
    [filePatch, 'path'],
    [ultraPatch, 'file_path'],
  ] as const) {
    await expectFailure(
      run(tool, { [name]: 'f.txt', patch: envelope('*** Update File: other.txt', '-two', '+2') }),
      'invalid_arguments',
    )
    await expectFailure(run(tool, { [name]: 'f.txt', patch: envelope('*** Delete File: f.txt') }), 'invalid_arguments')
    await expectFailure(
      run(tool, {
        [name]: 'f.txt',
        patch: envelope('*** Update File: f.txt', '-two', '+2', '*** Update File: other.txt', '-two', '+2'),
      }),
      'invalid_arguments',
    )
  }
  expect([await onDisk(), await onDisk('other.txt')]).toEqual(['one\ntwo\nthree\n', 'two\n'])
})

test("Blade's apply_patch changes several files, returns their paths for approval, and deletes none", async () => {
  const patch = '*** Begin Patch\n*** Update File: f.txt\n-two\n+2\n*** Add File: new.txt\n+n\n*** End Patch'
  expect(bladePatch.writes?.({ path: 'f.txt', patch })).toEqual(['f.txt', 'new.txt'])
  await run(bladePatch, { patch })
  expect([await onDisk(), await onDisk('new.txt')]).toEqual(['one\n2\nthree\n', 'n\n'])
  const failure = await expectFailure(
    run(bladePatch, { patch: '*** Begin Patch\n*** Delete File: f.txt\n*** End Patch' }),
    'invalid_arguments',
  )
  expect(failure.next).toContain('delete_file')
  await expectFailure(
    run(bladePatch, { path: 'f.txt', patch: forms['search and replace blocks'], old_text: 'a', new_text: 'b' }),
    'invalid_arguments',
  )
})

test('a diff that only adds lines inserts them at the line of its header', async () => {
  await run(rustyPatch, { patch: '--- a/f.txt\n+++ b/f.txt\n@@ -1,0 +2,1 @@\n+between\n' })
  expect(await onDisk()).toBe('one\nbetween\ntwo\nthree\n')
})

test('the parameter for formats of other systems is accepted but not in the schema', () => {
  expect(Object.keys(parametersSchema(bladePatch).properties ?? {})).not.toContain('patch')
})
