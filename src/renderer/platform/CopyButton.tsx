import { useEffect, useState } from 'react'
import { IconButton } from '../ui/index.ts'
import { attempt } from './notices.ts'

/** Copies text to the clipboard and confirms it briefly. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  function copy(): void {
    attempt(() => navigator.clipboard.writeText(text).then(() => setCopied(true)), 'The text could not be copied')
  }
  return <IconButton icon={copied ? 'check' : 'copy'} label={copied ? 'Copied' : label} onClick={copy} />
}
