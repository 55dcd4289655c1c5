import { useEffect, useState } from 'react'
import type { WebSettings } from '../../shared/settings.ts'
import { isWebOrigin, isWebUrl, searchProviders } from '../../shared/web.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Select, TextArea, TextField } from '../ui/index.ts'
import { Check } from './Check.tsx'
import { saveSetting } from './saveSetting.ts'

const providerNames: Readonly<Record<WebSettings['search'], string>> = {
  duckduckgo: 'DuckDuckGo',
  searxng: 'SearXNG',
  brave: 'Brave',
}

/** Whether tools may reach the web, who searches for them, and what on the user's own network they may fetch. */
export function WebFields({ web }: { web: WebSettings }) {
  const save = (change: Partial<WebSettings>) => saveSetting({ web: { ...web, ...change } })
  return (
    <div className="settings-grid">
      <div className="settings-checks settings-wide">
        <Check label="Let tools reach the web" checked={web.enabled} onChange={(enabled) => save({ enabled })} />
      </div>
      <Select
        label="Search with"
        value={web.search}
        options={searchProviders.map((provider) => ({ value: provider, label: providerNames[provider] }))}
        onChange={(event) => {
          const search = searchProviders.find((provider) => provider === event.target.value)
          if (search) save({ search })
        }}
      />
      {web.search === 'searxng' && (
        <LeftField
          label="Address of the SearXNG server"
          hint='It may stand on your own network, and has to allow the format "json".'
          error="An http or https address."
          value={web.searxngUrl}
          isValid={(address) => address === '' || isWebUrl(address)}
          onSave={(searxngUrl) => save({ searxngUrl })}
        />
      )}
      {web.search === 'brave' && <BraveKey stored={web.hasBraveKey} />}
      <LocalOrigins value={web.localOrigins} onSave={(localOrigins) => save({ localOrigins })} />
    </div>
  )
}

interface LeftFieldProps {
  label: string
  hint: string
  error: string
  value: string
  isValid: (text: string) => boolean
  onSave: (text: string) => void
}

/** Saved when it is left, if it is valid. */
function LeftField({ label, hint, error, value, isValid, onSave }: LeftFieldProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const valid = isValid(text.trim())
  return (
    <TextField
      label={label}
      hint={hint}
      error={valid ? undefined : error}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (valid && text.trim() !== value) onSave(text.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}

/** The key goes in and never comes back; only whether there is one is known here. */
function BraveKey({ stored }: { stored: boolean }) {
  const [key, setKey] = useState('')
  const send = (value: string | null) =>
    attempt(async () => {
      await request('web.setBraveKey', { key: value })
      setKey('')
    }, 'The key was not saved')
  return (
    <form
      className="settings-key"
      aria-label="Key for Brave"
      onSubmit={(event) => {
        event.preventDefault()
        if (key.trim() !== '') send(key.trim())
      }}
    >
      <TextField
        label="Brave key"
        hint={stored ? 'A key is stored. A new one replaces it.' : 'Brave answers only with a key of its own.'}
        type="password"
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <div className="endpoints-actions">
        <Button type="submit" disabled={key.trim() === ''}>
          Store key
        </Button>
        {stored && (
          <Button variant="ghost" onClick={() => send(null)}>
            Forget key
          </Button>
        )}
      </div>
    </form>
  )
}

function LocalOrigins({ value, onSave }: { value: readonly string[]; onSave: (origins: string[]) => void }) {
  const shown = value.join('\n')
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const origins = text.split(/\s+/).filter((origin) => origin !== '')
  const valid = origins.length <= 50 && origins.every(isWebOrigin)
  return (
    <div className="settings-wide">
      <TextArea
        label="Addresses on your own network"
        hint="Tools reach the public internet only, and these: one a line, e.g. http://localhost:3000."
        error={
          valid ? undefined : 'Only scheme, name and port on each line, in lower case and without a slash at the end.'
        }
        value={text}
        rows={2}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          if (valid && origins.join('\n') !== shown) onSave(origins)
        }}
      />
    </div>
  )
}
