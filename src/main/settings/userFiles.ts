import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  findNodeAtLocation,
  parse as parseJson,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { z } from 'zod'
import { makeFolder } from '../base/makeFolder.ts'
import { mergeEdits } from '../../shared/diff/mergeEdits.ts'
import type { UserKeybinding } from '../../shared/editor/keymap.ts'
import { ToolError } from '../../shared/errors.ts'
import { keybindingsFile, type UserFileText } from '../../shared/files/userFiles.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { parseJsonParts } from '../base/jsonParts.ts'
import { pathLocks } from '../base/pathLocks.ts'
import { keybindingsSchema, type KeybindingStore } from './keybindingStore.ts'

/** Maximum bytes of a file. */
const maxSize = 1024 * 1024
const maxFiles = 500

const text = z.union([z.string(), z.array(z.string())])
const snippetsSchema = z.record(
  z.string(),
  z.looseObject({ prefix: text.optional(), body: text, description: text.optional(), scope: z.string().optional() }),
)

/**
 * The user's keyboard shortcuts and snippets, as editable text. Names are checked with `userFileSchema`, so no other
 * file in the user data folder can be accessed.
 */
export interface UserFiles {
  /** Lists the snippet files, by name. */
  snippets(): Promise<string[]>
  read(file: string): Promise<UserFileText>
  /**
   * Checks and stores a text, which takes effect immediately. Keeps what changed in the file since `base`.
   * @param base the text that the user began with; absent if the file is new
   * @param overwrite whether the text replaces changes of the same place
   * @throws ToolError `invalid_arguments` with the line of each mistake
   * @throws ToolError `conflict` naming what the user edited and what changed elsewhere meanwhile
   */
  write(file: string, content: string, options?: { base?: string; overwrite?: boolean }): Promise<void>
}

export function createUserFiles(
  userData: string,
  keybindings: Pick<KeybindingStore, 'update'>,
  onSnippets: (file: string) => void,
): UserFiles {
  const at = (file: string) => path.join(userData, ...file.split('/'))
  async function read(file: string): Promise<UserFileText> {
    try {
      const { size } = await stat(at(file))
      if (size > maxSize)
        throw new ToolError('too_large', `${file} is larger than 1 MB.`, 'Edit it with another program.')
      return { text: await readFile(at(file), 'utf8'), exists: true }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return { text: '', exists: false }
      throw fileError(error, `${file} could not be read.`)
    }
  }
  return {
    async snippets() {
      const names = await readdir(at('snippets')).catch((): string[] => [])
      return names
        .filter((name) => /\.(?:json|code-snippets)$/.test(name))
        .toSorted()
        .slice(0, maxFiles)
        .map((name) => `snippets/${name}`)
    },

    read,

    async write(file, content, { base = '', overwrite = false } = {}) {
      if (file === keybindingsFile) {
        // Comments would be lost, because the shortcuts page writes this file as well.
        const edited = parse(file, content, keybindingsSchema, { comments: false })
        const known = parseJsonParts(base, keybindingsSchema)
        const before = known.unreadable === undefined ? known.data : []
        await keybindings.update((stored) => (overwrite ? edited : mergeBindings(before, edited, stored)))
        return
      }
      parse(file, content, snippetsSchema, { comments: true })
      await pathLocks.run([at(file)], () => writeSnippets(file, content, { base, overwrite }))
      onSnippets(file)
    },
  }

  async function writeSnippets(
    file: string,
    content: string,
    { base, overwrite }: { base: string; overwrite: boolean },
  ) {
    const current = await read(file)
    const merged = overwrite || !current.exists ? { text: content } : mergeEdits(base, content, current.text)
    if (!('text' in merged))
      throw changedElsewhere(
        `${file} was changed elsewhere while you edited it: ${merged.first === merged.last ? `line ${merged.first}` : `lines ${merged.first}-${merged.last}`}.`,
      )
    parse(file, merged.text, snippetsSchema, { comments: true })
    const temporary = `${at(file)}.${randomUUID()}.tmp`
    try {
      await makeFolder(at('snippets'))
      await writeFile(temporary, merged.text, { mode: 0o600, flag: 'wx' })
      await rename(temporary, at(file))
    } catch (error) {
      await rm(temporary, { force: true })
      throw fileError(error, `${file} could not be written.`)
    }
  }
}

const changedElsewhere = (message: string): ToolError =>
  new ToolError('conflict', message, 'Compare the text with the stored one, then overwrite it or discard your changes.')

type Bindings = readonly UserKeybinding[]

/** Returns the edited shortcuts with what was added and removed elsewhere meanwhile. @throws ToolError `conflict` */
function mergeBindings(base: Bindings, edited: Bindings, stored: Bindings): Bindings {
  const without = (some: Bindings, others: Bindings) =>
    some.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)))
  const removed = without(base, stored)
  const conflicts = without(removed, edited)
  if (conflicts.length > 0 && !isDeepStrictEqual(edited, stored))
    throw changedElsewhere(
      `These shortcuts were changed elsewhere while you edited them: ${conflicts.map(({ key, command }) => `${key} (${command})`).join(', ')}.`,
    )
  return [...without(edited, removed), ...without(without(stored, base), edited)]
}

/** Parses and checks a text. @throws ToolError `invalid_arguments` with the line of each mistake */
function parse<Schema extends z.ZodType>(
  file: string,
  given: string,
  schema: Schema,
  { comments }: { comments: boolean },
): z.output<Schema> {
  // A byte order mark is not part of the text.
  const content = given.replace(/^\uFEFF/, ' ')
  const errors: ParseError[] = []
  const options = { disallowComments: !comments, allowTrailingComma: comments }
  const value: unknown = parseJson(content, errors, options)
  const lineAt = (offset: number) => content.slice(0, offset).split('\n').length
  if (errors.length > 0)
    throw mistaken(
      errors.map(({ error, offset }) => `Line ${lineAt(offset)}: ${describe(printParseErrorCode(error))}.`),
    )
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const tree = parseTree(content, [], options)
  throw mistaken(
    checked.error.issues.map(({ path: place, message }) => {
      const line = lineAt(tree ? nearestNode(tree, place).offset : 0)
      return `Line ${line}: ${[place.join('.') || file, message.replace(/\.$/, '')].join(': ')}.`
    }),
  )
}

function mistaken(mistakes: readonly string[]): ToolError {
  return new ToolError(
    'invalid_arguments',
    mistakes.slice(0, 10).join(' '),
    'Correct these lines and save again. The stored file was not changed.',
  )
}

/** Returns an error name such as `CommaExpected` as text. */
function describe(code: string): string {
  if (code === 'InvalidCommentToken') return 'comments are not allowed in this file'
  return code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

/** Returns the value at a path, or the nearest enclosing one if the path does not exist. */
function nearestNode(tree: Node, place: readonly PropertyKey[]): Node {
  for (let length = place.length; length > 0; length--) {
    const node = findNodeAtLocation(
      tree,
      place.slice(0, length).map((part) => (typeof part === 'symbol' ? String(part) : part)),
    )
    if (node) return node
  }
  return tree
}
