import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectFailure } from '../../workspace/testing/disk.ts'
import { writeTree } from '../testing/toolContext.ts'
import { smartEditBench, type SmartEditBench } from '../testing/smartEditBench.ts'

const auth = `use std::io;
use crate::{
    claims::Claims,
    errors::AuthError,
};

/// Checks a token.
#[must_use]
pub fn validate_token(token: &str) -> Result<Claims, AuthError> {
    if token.is_empty() {
        return Err(AuthError::Empty);
    }
    old(token)
}

pub fn other() {}
`
const login = `import { hash } from './hash'
import type {
  User,
} from './user'

@Injectable({
  scope: 'root',
})
export class Login {
  @Guard() private async check(name: string): Promise<boolean> {
    return name !== ''
  }
}

/** Logs in. */
export async function login(user: User) {
  if (user.token === '') throw new Error('no token')
  return hash(user.name)
}

export const logout = async (user: User) => {
  return hash(user.name)
}

export default function main() {
  return login
}
`
const tool = `import os
from x import (
    a,
    b,
)


@cache(
    size=1,
)
async def fetch(url):
    # Old.
    return await a(url)


def done():
    return 1
`
const files = { 'auth.rs': auth, 'login.ts': login, 'tool.py': tool, 'empty.ts': '', 'run.sh': '#!/bin/sh\necho 1\n' }

let bench: SmartEditBench
beforeAll(async () => {
  bench = await smartEditBench(files)
})
beforeEach(() => writeTree(bench.folder.root, files))
afterAll(() => bench.dispose())

/** The file after an edit. */
async function becomes(path: string, location: string, operation: string, content?: string): Promise<string> {
  await bench.edit({ path, location, operation, ...(content === undefined ? {} : { content }) })
  return bench.onDisk(path)
}

describe('a text in the header of a definition selects the definition', () => {
  test("with the modifiers before it, which are kept (Rustant's own example)", async () => {
    const content = 'fn validate_token(token: &str) -> Result<Claims, AuthError> {\n    // new implementation\n}'
    const now = await becomes('auth.rs', 'fn validate_token', 'replace', content)
    expect(now).toBe(auth.replace(/pub fn validate_token[^]*?\n\}/, () => `pub ${content}`))
  })

  test('under `export async`, `export const`, `export default` and `async def`', async () => {
    const content = 'function login(user: User) {\n  return user\n}'
    expect(await becomes('login.ts', 'function login', 'replace', content)).toContain(
      `/** Logs in. */\nexport async ${content}\n\nexport const logout`,
    )
    const arrow = 'const logout = () => 1'
    expect(await becomes('login.ts', 'const logout', 'replace', arrow)).toContain(
      '\n}\n\nexport const logout = () => 1\n\nexport default',
    )
    const main = 'function main() {\n  return 2\n}'
    expect(await becomes('login.ts', 'function main', 'replace', main)).toMatch(
      /\nexport default function main\(\) \{\n {2}return 2\n\}\n$/,
    )
    const python = 'def fetch(url):\n    return await b(url)'
    expect(await becomes('tool.py', 'def fetch', 'replace', python)).toBe(
      tool.replace(/def fetch[^]*?a\(url\)/, python),
    )
  })

  test('without modifiers that the new text has too, and with decorators that it lacks', async () => {
    expect(await becomes('auth.rs', 'fn validate_token', 'replace', 'pub(crate) fn validate_token() {}')).toContain(
      '#[must_use]\npub(crate) fn validate_token() {}\n\npub fn other',
    )
    expect(
      await becomes('login.ts', 'async check(name: string)', 'replace', 'async check(): Promise<void> {\n}'),
    ).toContain('  @Guard() private async check(): Promise<void> {\n  }\n}')
    expect(await becomes('login.ts', 'Login', 'replace', 'class Login {}')).toContain('})\nexport class Login {}\n')
  })

  test('for insertions, which are placed above its decorators or below its end', async () => {
    expect(await becomes('auth.rs', 'fn validate_token', 'insert_before', 'fn a() {}\n\n')).toContain(
      '\n\nfn a() {}\n\n/// Checks',
    )
    expect(await becomes('auth.rs', 'fn validate_token', 'insert_after', '\nfn z() {}')).toContain(
      '    old(token)\n}\n\nfn z() {}\n\npub fn other',
    )
    expect(await becomes('tool.py', 'def fetch', 'insert_before', 'A = 1\n\n')).toContain(')\n\n\nA = 1\n\n@cache(\n')
    expect(await becomes('login.ts', 'class Login', 'insert_before', '// Above.')).toContain(
      '\n\n// Above.\n@Injectable({',
    )
  })

  test('for a deletion, which includes its modifiers, decorators and comment', async () => {
    expect(await becomes('auth.rs', 'fn validate_token', 'delete')).toBe(auth.replace(/\/\/\/ Checks[^]*?\n\}\n/, ''))
    expect(await becomes('tool.py', 'def fetch', 'delete')).toBe(tool.replace(/@cache[^]*?a\(url\)\n/, ''))
    expect(await becomes('login.ts', 'async check(', 'delete')).toContain('export class Login {\n}\n')
    expect(await becomes('login.ts', 'const logout', 'delete')).not.toContain('logout')
  })

  test('unless the new text is only a header', async () => {
    expect(await becomes('auth.rs', 'fn validate_token', 'replace', 'fn check_token')).toBe(
      auth.replace('fn validate_token', 'fn check_token'),
    )
    expect(await becomes('tool.py', 'def fetch(url):', 'replace', 'def fetch(url, tries):')).toBe(
      tool.replace('fetch(url)', 'fetch(url, tries)'),
    )
    const signature = 'export async function login(user: User): Promise<string>'
    expect(await becomes('login.ts', 'export async function login(user: User)', 'replace', signature)).toContain(
      `${signature} {\n  if (user`,
    )
  })

  test('and a statement inserted after an opening header is placed in the body', async () => {
    expect(await becomes('tool.py', 'async def fetch(url):', 'insert_after', 'print(url)')).toContain(
      'async def fetch(url):\n    print(url)\n    # Old.',
    )
    expect(
      await becomes(
        'auth.rs',
        'pub fn validate_token(token: &str) -> Result<Claims, AuthError> {',
        'insert_after',
        'trace(token);',
      ),
    ).toContain('AuthError> {\n    trace(token);\n    if token')
  })
})

describe('a description of part of a definition', () => {
  test.each([
    'if token is empty',
    'the condition that checks the token',
    'when the token is empty',
    'the end of the validate token function',
    'inside validate token',
  ])('does not replace the whole definition: %s', async (location) => {
    const { message } = await expectFailure(
      bench.edit({ path: 'auth.rs', location, operation: 'replace', content: 'if token.len() < 8 {' }),
      'ambiguous_match',
    )
    expect(message).toMatch(/auth\.rs:\d+: /)
    expect(await bench.onDisk('auth.rs')).toBe(auth)
  })

  test('is refused with the lines that match it', async () => {
    const { message } = await expectFailure(
      bench.edit({ path: 'auth.rs', location: 'if token is empty', operation: 'delete' }),
      'ambiguous_match',
    )
    expect(message).toContain('auth.rs:10: if token.is_empty() {')
  })
})

describe('a location with a fixed name', () => {
  test('the body of a function, by its name or a description', async () => {
    expect(await becomes('login.ts', 'login function body', 'replace', 'return 1')).toContain(
      'export async function login(user: User) {\n  return 1\n}\n',
    )
    expect(await becomes('tool.py', 'the body of fetch', 'replace', 'return 1')).toContain(
      'async def fetch(url):\n    return 1\n\n\ndef done',
    )
    expect(
      await becomes('auth.rs', 'body of the function that validates a token', 'insert_before', 'trace();'),
    ).toContain('AuthError> {\n    trace();\n    if token')
    await expectFailure(
      bench.edit({ path: 'auth.rs', location: 'other function body', operation: 'delete' }),
      'no_match',
    )
  })

  test('the start and end of the file', async () => {
    expect(await becomes('tool.py', 'end of file', 'insert_after', 'print(1)')).toMatch(/ {4}return 1\nprint\(1\)\n$/)
    expect(await becomes('login.ts', 'the end of the file', 'insert_before', '// End')).toMatch(/\}\n\/\/ End\n$/)
    expect(await becomes('run.sh', 'start of file', 'insert_before', 'set -e')).toBe('#!/bin/sh\nset -e\necho 1\n')
    expect(await becomes('empty.ts', 'end of file', 'insert_after', 'let a')).toBe('let a\n')
    await expectFailure(
      bench.edit({ path: 'run.sh', location: 'end of file', operation: 'replace', content: 'x' }),
      'invalid_arguments',
    )
  })

  test('the imports, across several lines', async () => {
    expect(await becomes('login.ts', 'the imports', 'insert_after', "import fs from 'fs'")).toContain(
      "} from './user'\nimport fs from 'fs'\n\n@Inj",
    )
    expect(await becomes('auth.rs', 'imports', 'replace', 'use a::b;')).toMatch(/^use a::b;\n\n\/\/\/ Checks/)
    expect(await becomes('tool.py', 'after the import statements', 'insert_after', 'import sys')).toContain(
      '    b,\n)\nimport sys\n',
    )
  })

  test('a name with a word for its kind that differs from the keyword in the file', async () => {
    expect(await becomes('login.ts', 'the logout function', 'delete')).not.toContain('logout')
    expect(await becomes('login.ts', 'method Login.check', 'insert_after', 'x = 1')).toContain('  }\n  x = 1\n}')
    expect(await becomes('login.ts', 'after function login', 'insert_after', '// behind')).toContain(
      'hash(user.name)\n}\n// behind\n',
    )
  })
})

describe('an edit that breaks the syntax of a valid file', () => {
  test('is refused if its location was found by description', async () => {
    const kept = bench.checkpoints.list().length
    const { message } = await expectFailure(
      bench.edit({ path: 'login.ts', location: 'login function body', operation: 'replace', content: 'return (' }),
      'no_match',
    )
    expect(message).toMatch(/syntax errors[^]*login\.ts:\d+: /)
    await expectFailure(
      bench.edit({
        path: 'tool.py',
        location: 'the function that fetches an url',
        operation: 'replace',
        content: 'def fetch(:',
      }),
      'no_match',
    )
    expect([await bench.onDisk('login.ts'), await bench.onDisk('tool.py'), bench.checkpoints.list().length]).toEqual([
      login,
      tool,
      kept,
    ])
  })

  test('is applied if the location is certain; the executor reports the errors', async () => {
    expect(await becomes('login.ts', 'line 17', 'replace', '  return (')).toContain('  return (\n')
  })
})
