import { useEffect, useState } from 'react'
import { isWebOrigin, isWebUrl } from '../../shared/settings/webSettings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, TextArea, TextField } from '../ui/index.ts'
import { saveSetting } from './saveSetting.ts'
import { changeOf, type SettingEditorProps } from './settingValues.ts'

/** Field for the SearXNG server's URL. Shown while SearXNG is the search engine. Saves on blur if the URL is valid. */
export function SearxngUrl({ settings, row }: SettingEditorProps) {
  const { search, searxngUrl } = settings.web
  const { title, description } = row.declaration
  const [text, setText] = useState(searxngUrl)
  useEffect(() => setText(searxngUrl), [searxngUrl])
  if (search !== 'searxng') return null
  const url = text.trim()
  const isValid = url === '' || isWebUrl(url)
  return (
    <TextField
      label={title}
      hint={description}
      error={isValid ? undefined : 'Enter an http or https URL.'}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (isValid && url !== searxngUrl) saveSetting(changeOf(settings, row, url))
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}

/**
 * Form to store or remove the Brave API key. Shown while Brave is the search engine. Main never sends the stored key.
 */
export function BraveKey({ settings, row }: SettingEditorProps) {
  const { search, hasBraveKey } = settings.web
  const [key, setKey] = useState('')
  if (search !== 'brave') return null
  const send = (value: string | null) =>
    attempt(
      async () => {
        await request('web.setBraveKey', { key: value })
        setKey('')
      },
      value === null ? 'The API key could not be removed' : 'The API key could not be saved',
    )
  return (
    <form
      className="settings-key"
      aria-label="API key for Brave"
      onSubmit={(event) => {
        event.preventDefault()
        if (key.trim() !== '') send(key.trim())
      }}
    >
      <TextField
        label={row.declaration.title}
        hint={hasBraveKey ? 'A key is stored. A new key replaces it.' : 'Brave requires an API key.'}
        type="password"
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <div className="endpoints-actions">
        <Button type="submit" disabled={key.trim() === ''}>
          Save key
        </Button>
        {hasBraveKey && (
          <Button variant="ghost" onClick={() => send(null)}>
            Remove key
          </Button>
        )}
      </div>
    </form>
  )
}

/** Field for local network origins that tools may reach, one per line. Saves on blur if all are valid. */
export function LocalOrigins({ settings, row }: SettingEditorProps) {
  const { title, description } = row.declaration
  const shown = settings.web.localOrigins.join('\n')
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const origins = text.split(/\s+/).filter((origin) => origin !== '')
  const isValid = origins.length <= 50 && origins.every(isWebOrigin)
  return (
    <TextArea
      label={title}
      hint={description}
      error={
        isValid
          ? undefined
          : 'Enter at most 50 origins: scheme, host and port, in lower case and without a trailing slash.'
      }
      value={text}
      rows={2}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (isValid && origins.join('\n') !== shown) saveSetting(changeOf(settings, row, origins))
      }}
    />
  )
}
