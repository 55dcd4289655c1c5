import { expect, test } from 'vitest'
import { manifestEntries, projectPurpose } from './projectPurpose.ts'

test('returns title and first lines of a README without badges, images and HTML', () => {
  const readme = [
    '# Ox',
    '',
    '[![Build](https://example.org/b.svg)](https://example.org) ![logo](logo.png)',
    '<p align="center"><img src="x.png"></p>',
    '---',
    'Pulls carts.',
    'Any cart.',
    '',
    '## Install',
    'npm i ox',
  ].join('\n')
  expect(projectPurpose(new Map([['README.md', readme]]))).toEqual(['README.md:', '# Ox', 'Pulls carts.', 'Any cart.'])
})

test('returns the description from a manifest without its authors', () => {
  const manifest = JSON.stringify({
    name: 'ox',
    version: '1.0.0',
    description: 'Pulls carts',
    author: { name: 'Somebody' },
    contributors: [{ name: 'Another' }],
  })
  expect(projectPurpose(new Map([['package.json', manifest]]))).toEqual([
    'package.json:',
    'name: ox',
    'version: 1.0.0',
    'description: Pulls carts',
  ])
  const cargo = '[package]\nname = "ox"\nedition = "2024"\ndescription = "Pulls carts"\n\n[dependencies]\nserde = "1"\n'
  expect(projectPurpose(new Map([['Cargo.toml', cargo]]))).toEqual([
    'Cargo.toml:',
    'name = "ox"',
    'description = "Pulls carts"',
  ])
})

test('ignores an incomplete manifest', () => {
  expect(projectPurpose(new Map([['package.json', '{ "name": ']]))).toEqual([])
  expect(manifestEntries(new Map([['package.json', '[]']]))).toEqual([])
})

test('returns main file, commands and nested exports as entry points', () => {
  const manifest = JSON.stringify({
    main: './lib/index.js',
    bin: { ox: 'bin/ox.js' },
    exports: { '.': { import: './lib/index.mjs', types: './lib/index.d.ts' } },
  })
  expect(manifestEntries(new Map([['app/package.json', manifest]]))).toEqual([
    'app/lib/index.js',
    'app/bin/ox.js',
    'app/lib/index.mjs',
    'app/lib/index.d.ts',
  ])
})
