/** A package that installers contain. `folder` is absolute; `license` is an SPDX expression, or '' if it names none. */
export interface ShippedPackage {
  name: string
  version: string
  license: string
  folder: string
  integrity?: string
}
export function shippedPackages(root: string, only?: readonly string[]): ShippedPackage[]
