/** Formats the size of base64 data. */
export function base64Size(data: string): string {
  const bytes = Math.floor((data.length * 3) / 4)
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`
}

export function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(data)
}
