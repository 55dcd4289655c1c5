/** Saves text as a file in the user's downloads folder. */
export function downloadFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The URL must exist until the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
