/*
 * Files that a command executes although its line does not name them. A write to one of them needs approval while a
 * grant of the user covers such a command.
 */

/** Programs and the files that they execute. `*` stands for any characters. */
const rows: readonly (readonly [programs: string, files: string])[] = [
  [
    'npm npx pnpm yarn bun bunx node deno corepack vitest jest playwright eslint oxlint prettier tsc vite webpack rollup turbo nx',
    'package.json deno.json deno.jsonc *.config.js *.config.mjs *.config.cjs *.config.ts *.config.mts *.config.cts .babelrc ' +
      '.babelrc.* .eslintrc .eslintrc.* .mocharc.* .prettierrc .prettierrc.* .swcrc gulpfile.* gruntfile.* turbo.json nx.json ' +
      'project.json',
  ],
  ['make gmake', 'makefile gnumakefile *.mk'],
  ['just', 'justfile .justfile *.just'],
  ['task', 'taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml'],
  ['cargo', 'cargo.toml build.rs'],
  ['go', 'go.mod go.work'],
  [
    'python python3 pytest uv poetry tox nox pip pip3 mypy ruff black hatch pdm',
    'conftest.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py pytest.ini mypy.ini tasks.py',
  ],
  [
    'cmake ctest ninja make meson',
    'cmakelists.txt *.cmake cmakepresets.json build.ninja meson.build configure configure.ac',
  ],
  ['gradle gradlew', '*.gradle *.gradle.kts gradle.properties'],
  ['mvn mvnw', 'pom.xml'],
  ['dotnet msbuild', '*.csproj *.fsproj *.vbproj *.props *.targets *.sln global.json'],
  ['swift', 'package.swift'],
  ['mix', 'mix.exs'],
  ['rake bundle rspec ruby gem', 'rakefile *.rake gemfile *.gemspec spec_helper.rb'],
  ['composer php phpunit', 'composer.json phpunit.xml phpunit.xml.dist'],
  [
    'docker podman',
    'dockerfile dockerfile.* containerfile compose.yml compose.yaml docker-compose.yml docker-compose.yaml',
  ],
  ['bazel bazelisk', 'build build.bazel workspace module.bazel *.bzl'],
]

const filesByProgram = new Map<string, RegExp[]>()
for (const [programs, files] of rows) {
  const tests = files.split(' ').map(nameTest)
  for (const program of programs.split(' '))
    filesByProgram.set(program, [...(filesByProgram.get(program) ?? []), ...tests])
}

function nameTest(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((text) => text.replaceAll('.', '\\.'))
      .join('.*')}$`,
  )
}

/**
 * Whether running a command executes a file: its program reads files of this name, or it is a script that the command
 * starts. Sources and tests do not count, because a test command executes most of them.
 * @param words words of a command, exact or approximate
 * @param file relative to the workspace
 */
export function isExecutedBy(words: readonly string[], file: string): boolean {
  const name = lastName(file)
  const script = shells.has(lastName(words[0] ?? '')) ? words.slice(1) : words.slice(0, 1)
  return (
    script.some((word) => lastName(word) === name) ||
    words.some((word) =>
      filesByProgram.get(lastName(word).replace(/\.(?:exe|cmd|bat)$/, ''))?.some((test) => test.test(name)),
    )
  )
}

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'source', '.', 'env', 'time', 'nohup'])

const lastName = (file: string): string => file.slice(file.lastIndexOf('/') + 1).toLowerCase()
