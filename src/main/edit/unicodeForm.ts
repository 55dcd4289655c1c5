/**
 * Returns texts in the Unicode form (composed or decomposed) in which a file contains the first of them. Unchanged if
 * the file contains it as it is, or in no form.
 */
export function inFormOf(file: string, [first = '', ...others]: readonly string[]): string[] {
  const texts = [first, ...others]
  if (first.normalize('NFC') === first.normalize('NFD') || file.includes(first)) return texts
  const forms = ['NFC', 'NFD'] as const
  const form =
    forms.find((one) => file.includes(first.normalize(one))) ?? forms.find((one) => file === file.normalize(one))
  return form === undefined ? texts : texts.map((text) => text.normalize(form))
}
