import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { shippedPackages } from './shippedPackages.mjs'
import { StepError } from './steps.mjs'

/** Names of the files that installers contain beside the build. */
export const licensesFile = 'THIRD_PARTY_LICENSES.txt'
export const sbomFile = 'sbom.cdx.json'
export const sumsFile = 'SHA256SUMS'

/** Names that are the same in a release, where other characters are replaced. */
const portableName = /^[\w.-]+$/
/** What electron-builder puts on users' disks. */
const installers = /\.(AppImage|deb|dmg|exe)$/

/**
 * Writes the licenses of all packages in installers, and a list of these packages (CycloneDX).
 * @param {string} root folder of package.json
 * @param {string} folder receives the files
 * @throws StepError if a package names no license
 */
export async function writeReleaseFiles(root, folder) {
  const packages = shippedPackages(root)
  const unnamed = packages.filter(({ license }) => license === '')
  if (unnamed.length > 0)
    throw new StepError(
      'Licenses',
      `These packages state no license: ${unnamed.map(({ name, version }) => `${name}@${version}`).join(', ')}.`,
      'Ask their authors, or use other packages.',
    )
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, licensesFile), licensesText(packages))
  const application = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await writeFile(join(folder, sbomFile), `${JSON.stringify(sbom(application, packages), null, 2)}\n`)
}

/** Returns the licenses of packages as one text. @param {import('./shippedPackages.mjs').ShippedPackage[]} packages */
export function licensesText(packages) {
  const parts = packages.map(
    ({ name, version, license, folder }) =>
      `${'='.repeat(80)}\n${name} ${version}\nLicense: ${license}\n\n${licenseFilesOf(folder) || 'The package has no license file.'}\n`,
  )
  return [
    'Tizona contains the packages below. Electron and Chromium have license files of their own beside this one.\n',
    ...parts,
  ].join('\n')
}

function licenseFilesOf(folder) {
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .sort()
    .map((name) => {
      try {
        return readFileSync(join(folder, name), 'utf8').trim()
      } catch (error) {
        // Some packages have a folder with this name.
        if (error.code === 'EISDIR') return ''
        throw error
      }
    })
    .filter(Boolean)
    .join('\n\n')
}

/**
 * Returns a software bill of materials, https://cyclonedx.org/docs/1.6/json/. Has no time and no serial number, so the
 * same packages give the same file.
 */
export function sbom({ name, version }, packages) {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `${name}@${version}`,
        name,
        version,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components: packages.map((each) => ({
      type: 'library',
      'bom-ref': `${each.name}@${each.version}`,
      name: each.name,
      version: each.version,
      // A scope's @ is encoded in package URLs.
      purl: `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`,
      licenses: [/^[\w.+-]+$/.test(each.license) ? { license: idOrName(each.license) } : { expression: each.license }],
      ...(each.integrity === undefined ? {} : { hashes: hashesOf(each.integrity) }),
    })),
  }
}

/** SPDX has no identifier for "SEE LICENSE IN …" and the like. */
const idOrName = (license) => (/^(UNLICENSED|SEE)/i.test(license) ? { name: license } : { id: license })

/** Converts npm's integrity, `sha512-BASE64`, to CycloneDX's hashes. */
function hashesOf(integrity) {
  return integrity.split(/\s+/).map((each) => {
    const [algorithm = '', digest = ''] = each.split('-')
    return {
      alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
      content: Buffer.from(digest, 'base64').toString('hex'),
    }
  })
}

/**
 * Writes the SHA-256 sums of the installers in a folder, in the format of `sha256sum --check`.
 * @returns {Promise<string[]>} the names of the installers
 * @throws StepError if there are none, or if a release would rename one
 */
export async function writeSums(folder) {
  const names = (await readdir(folder)).filter((name) => installers.test(name)).sort()
  if (names.length === 0)
    throw new StepError('Sums', `There are no installers in ${folder}.`, 'Build them with npm run package first.')
  const renamed = names.find((name) => !portableName.test(name))
  if (renamed !== undefined)
    throw new StepError(
      'Sums',
      `A release would rename "${renamed}".`,
      'Set artifactName of its target in electron-builder.config.ts.',
    )
  const lines = await Promise.all(names.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`))
  await writeFile(join(folder, sumsFile), lines.join(''))
  return names
}

async function sha256(file) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
