import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { create } from 'tar'
import { nodeBinary, root } from './lib/paths.mjs'
import { shippedPackages } from './lib/shippedPackages.mjs'
import { explain, say, step, StepError } from './lib/steps.mjs'

/**
 * `node scripts/serverBundle.mjs`: packs the server that the desktop brings to other machines (docs/guide/remote.md),
 * for the processor and the C library of this machine. Run it after the build. `--out FOLDER` receives the archive and
 * its manifest; default: `out/server`. `--max-glibc 2.28` fails if a program needs a later C library.
 */
async function main() {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: join(root, 'out', 'server') }, 'max-glibc': { type: 'string' } },
  })
  if (process.platform !== 'linux')
    throw new StepError('Server', 'The server for other machines is built on Linux.', 'Run it there.')
  if (!existsSync(join(root, 'out/main/remote.js')))
    throw new StepError('Server', 'The application has not been built.', 'Run npm run build.')
  const name = `server-linux-${process.arch}`
  const staging = join(values.out, `${name}.files`)
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    await step('Collecting the files of the server', () => collect(staging))
    const glibc = await step('Finding the oldest C library that it runs with', () => requiredGlibc(staging))
    const limit = values['max-glibc']
    if (limit !== undefined && isLater(glibc.split('.').map(Number), limit.split('.').map(Number)))
      throw new StepError(
        'Server',
        `A program of the server needs glibc ${glibc}, which is later than ${limit}.`,
        'Build it where the C library is older.',
      )
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const build = `${version}-${(await hashOf(staging)).slice(0, 12)}`
    await writeFile(join(staging, 'BUILD'), `${build}\n`)
    const file = `${name}.tar.gz`
    await step('Packing it', async () =>
      create(
        { gzip: { level: 9 }, portable: true, cwd: staging, file: join(values.out, file) },
        (await readdir(staging)).toSorted(),
      ),
    )
    const { size } = await stat(join(values.out, file))
    const sha256 = await digest(join(values.out, file))
    const manifest = { build, file, size, sha256, glibc }
    await writeFile(join(values.out, `${name}.json`), `${JSON.stringify(manifest, null, 2)}\n`)
    say(`  ${file}: ${Math.round(size / 1e6)} MB, build ${build}, needs glibc ${glibc}`)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Packages that only the window, the desktop or a model file needs. */
const leftOut = /^(?:electron|node-llama-cpp|@node-llama-cpp\/.*|monaco-.*|react.*|@xterm\/.*|@fontsource.*)$/
/** Files that are only read when a package is built, and those that are for other systems. */
const unusedFiles =
  /(?:\.map|\.d\.[cm]?ts|\.md|\.pdb)$|\/node-pty\/(?:deps|src|third_party|prebuilds|scripts|node_modules|build\/(?!Release\/(?:pty\.node|spawn-helper)$).*\.[^/]+$)|\/(?:@tree-sitter-grammars\/[^/]+|tree-sitter-json)\/(?:prebuilds|src|bindings)\//
/** The types of TypeScript's standard library are read by its server. */
const neededTypes = /\/@typescript\/.*\/lib\/[^/]+\.d\.ts$/

async function collect(staging) {
  await mkdir(join(staging, 'bin'))
  await cp(nodeBinary(), join(staging, 'bin/node'), { dereference: true })
  await cp(join(root, 'package.json'), join(staging, 'package.json'))
  await cp(join(root, 'out/main'), join(staging, 'out/main'), {
    recursive: true,
    filter: (file) => !/\.map$|\/(?:index|storyHost)\.js$|\/chunks\/.*\.cjs$/.test(file),
  })
  await cp(join(root, 'resources'), join(staging, 'resources'), { recursive: true })
  const packages = await mainPackages()
  for (const { folder } of packages)
    await cp(folder, join(staging, relative(root, folder)), {
      recursive: true,
      dereference: true,
      filter(file) {
        // Nested packages are in the list if they are needed.
        if (file !== folder && relative(folder, file).split(sep)[0] === 'node_modules') return false
        return neededTypes.test(file) || !unusedFiles.test(file)
      },
    })
}

/** The packages that main loads, with what they need. */
async function mainPackages() {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return shippedPackages(root, Object.keys(dependencies)).filter(({ name }) => !leftOut.test(name))
}

async function files(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

/** Returns a hash of names and contents. */
async function hashOf(folder) {
  const hash = createHash('sha256')
  for (const file of await files(folder)) hash.update(`${relative(folder, file)}\0${await digest(file)}\n`)
  return hash.digest('hex')
}

async function digest(file) {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** Node's own minimum (BUILDING.md of Node 24), which no program of the bundle is below. */
const oldest = [2, 28]

const isLater = (a, b) => a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])

/** Returns the latest version of glibc that a program of the bundle names. */
async function requiredGlibc(folder) {
  let latest = oldest
  for (const file of await files(folder)) {
    const bytes = await readFile(file)
    if (bytes.length < 4 || bytes.readUInt32BE(0) !== 0x7f454c46) continue
    for (const [, major, minor] of bytes.toString('latin1').matchAll(/GLIBC_(\d+)\.(\d+)/g)) {
      const found = [Number(major), Number(minor)]
      if (isLater(found, latest)) latest = found
    }
  }
  return latest.join('.')
}

try {
  await main()
} catch (error) {
  process.exitCode = explain(error)
}
