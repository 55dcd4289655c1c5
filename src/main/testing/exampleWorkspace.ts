import { execFile } from 'node:child_process'
import { readFile, readdir, utimes } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'

// The folder in which the examples of docs/tools.md run. It has files for every tool.

const files: Readonly<Record<string, string>> = {
  'README.md': '# Harbour\n\nKeeps the users of a small harbour office. `cargo run` starts it.\n',
  'Cargo.toml': '[package]\nname = "harbour"\nversion = "0.1.0"\nedition = "2024"\n',
  'package.json': '{ "name": "harbour-desk", "type": "module", "dependencies": { "harbour-http": "1.0.0" } }\n',
  '.gitignore': 'node_modules/\n',
  'old_config.toml': '[server]\nport = 8080\n',
  'new_config.toml': '[server]\nport = 9090\n',
  'src/main.rs': `fn main() {
    println!("Hello");
}

/// Runs one command of the desk.
fn execute(line: &str) -> Result<(), String> {
    // TODO: read the name from the line
    let config = harbour::Config::default();
    println!("{line} on {}", config.port);
    Ok(())
}

fn greet() {
    println!("Welcome");
}
`,
  'src/lib.rs': `use std::io;

pub fn read_input() -> String {
    let mut input = String::new();
    std::io::stdin().read_line(&mut input).unwrap();
    input
}

/// What the server starts with.
#[derive(Default)]
pub struct Config {
    pub port: u16,
}

fn retries() -> u32 {
    let limit = 5;
    limit
}

pub fn wait() -> u32 {
    retries() * 2
}
`,
  'src/old_name.rs': 'pub fn berth() -> u32 {\n    7\n}\n',
  'src/users.ts': `import { normalise } from './names'

/** Keeps the users of the office. */
export class UserStore {
  private readonly users: User[] = []

  /** Adds one; the same name twice is kept once. */
  add(user: User): void {
    if (!this.users.some(({ name }) => name === user.name)) this.users.push(user)
  }
}

export interface User {
  name: string
}

/** A user, kept in \`store\`. */
export function createUser(name: string, store = new UserStore()): User {
  const user = { name: normalise(name) }
  store.add(user)
  return user
}
`,
  'src/names.ts': 'export function normalise(name: string): string {\n  return name.trim()\n}\n',
  'src/users.test.ts': "import { createUser } from './users'\n\ncreateUser(' Ada ')\n",
  'src/App.tsx':
    "import { useState } from 'react'\nimport { createUser } from './users'\n\nexport function App() {\n  const [user] = useState(() => createUser('Ada'))\n  return <p>{user.name}</p>\n}\n",
  'src/api/desk.proto': 'syntax = "proto3";\n\nmessage Desk { string name = 1; }\n',
  'templates/base.html': '<!doctype html>\n<title>Harbour</title>\n',
  'temp/old_file.txt': 'not needed any more\n',
  'node_modules/harbour-http/index.js': 'export function createServer() {}\n',
}

/** Modification time of all files, in seconds since 1970 (2026-01-01), so that results are the same in every run. */
const written = 1_767_225_600

/**
 * Creates a copy of the example folder.
 * @param repository whether to make it a git repository with one commit, a staged and an unstaged change
 */
export async function exampleWorkspace(repository: boolean): Promise<{ root: string; remove(): Promise<void> }> {
  const manual = fileURLToPath(new URL('../../../e2e/fixtures/documents/harbour.pdf', import.meta.url))
  const folder = await temporaryFolder({ ...files, 'docs/manual.pdf': await readFile(manual) })
  if (repository) await commitAll(folder.root)
  for (const name of await readdir(folder.root, { recursive: true })) {
    if (!name.startsWith('.git')) await utimes(path.join(folder.root, name), written, written)
  }
  return folder
}

async function commitAll(root: string): Promise<void> {
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: root })
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ada')
  await git('config', 'user.email', 'ada@example.org')
  await git('add', '.')
  await git('commit', '-q', '-m', 'Begin')
  await writeTree(root, {
    'src/names.ts': 'export function normalise(name: string): string {\n  return name.trim().toLowerCase()\n}\n',
  })
  await git('add', '.')
  await writeTree(root, { 'new_config.toml': '[server]\nport = 9191\n' })
}
