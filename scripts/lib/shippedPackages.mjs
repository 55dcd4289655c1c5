import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A package that installers contain.
 * @typedef {{ name: string, version: string, license: string, folder: string, integrity?: string }} ShippedPackage
 */

/**
 * Returns the packages that installers contain, sorted by name: those that main loads (`dependencies` and
 * `optionalDependencies`), those that the window imports, what all of them need, and Electron. Packages that are not
 * installed on this system are left out.
 * @param {string} root folder of package.json and package-lock.json
 * @param {readonly string[]} [only] only these packages and what they need
 * @returns {ShippedPackage[]}
 */
export function shippedPackages(root, only) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const own = packages['']
  const names = new Set(
    only ?? [
      ...Object.keys(own.dependencies ?? {}),
      ...Object.keys(own.optionalDependencies ?? {}),
      ...importedPackages(join(root, 'src/renderer')),
    ],
  )
  const found = new Map()
  const add = (path) => {
    const entry = packages[path]
    const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
    found.set(path, {
      name: manifest.name,
      version: manifest.version,
      license: licenseOf(manifest),
      folder: join(root, path),
      ...(entry.integrity === undefined ? {} : { integrity: entry.integrity }),
    })
  }
  const visit = (name, from) => {
    const path = resolvePackage(packages, name, from)
    if (path === undefined || found.has(path) || !existsSync(join(root, path, 'package.json'))) return
    add(path)
    const entry = packages[path]
    for (const each of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(each, path)
  }
  for (const name of names) visit(name, '')
  // The runtime. What its package needs only downloads it.
  const electron = 'node_modules/electron'
  if (only === undefined && packages[electron] !== undefined && existsSync(join(root, electron, 'package.json')))
    add(electron)
  return [...found.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}

const idOf = ({ name, version }) => `${name}@${version}`

/** Finds a package as Node does: in the folder of the package that needs it, then in those above. */
function resolvePackage(packages, name, from) {
  for (let folder = from; ;) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '') return undefined
    const parent = folder.lastIndexOf('/node_modules/')
    folder = parent === -1 ? '' : folder.slice(0, parent)
  }
}

/** Returns the names of the packages that sources import. */
function importedPackages(folder) {
  const names = new Set()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(tsx?|css)$/.test(file) || /\.test\.tsx?$|(^|[\\/])testing[\\/]/.test(file)) continue
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, specifier] of text.matchAll(/(?:from|import|@import)\s*\(?\s*['"]([^'"./][^'"]*)['"]/g)) {
      const [scope = '', name = ''] = specifier.split('/')
      names.add(scope.startsWith('@') ? `${scope}/${name}` : scope)
    }
  }
  return names
}

/** Returns the license as an SPDX expression; '' if the package names none. */
function licenseOf({ license, licenses }) {
  if (typeof license === 'string') return license
  if (typeof license?.type === 'string') return license.type
  if (Array.isArray(licenses)) return licenses.map(({ type }) => type).join(' OR ')
  return ''
}
