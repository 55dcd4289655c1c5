import { plural } from '../../../shared/text/plural.ts'
import { useState } from 'react'
import type { InstructionSource } from '../../../shared/agent/attachments.ts'
import type { InstructionsItem } from '../../../shared/agent/conversation.ts'
import { FoldToggle, Icon } from '../../ui/index.ts'
import { openLocation } from '../../platform/editor/openLocation.ts'

const icons = { instructions: 'book', rule: 'law', skills: 'lightbulb' } as const

/** Lists the instructions that were sent to the model. Expands to their text. */
export function InstructionsNotice({ item }: { item: InstructionsItem }) {
  const [open, setOpen] = useState(false)
  return (
    <section className="chat-instructions" aria-label="Instructions sent to the model">
      <div className="chat-instructions-row">
        <FoldToggle open={open} title="Show the text sent to the model" onToggle={() => setOpen(!open)}>
          {item.start ? 'Instructions' : 'More instructions'}
        </FoldToggle>
        {item.sources.map((source) => (
          <Source key={source.id} source={source} />
        ))}
      </div>
      {open && <pre className="chat-expanded-text">{item.text}</pre>}
    </section>
  )
}

function Source({ source }: { source: InstructionSource }) {
  const { kind, label, path, characters, note } = source
  const title = [path ?? label, plural(characters, 'character'), note].filter(Boolean).join(' · ')
  const content = (
    <>
      <Icon name={note === undefined ? icons[kind] : 'warning'} />
      <span>{label}</span>
    </>
  )
  const name = note === undefined ? 'chat-chip' : 'chat-chip chat-chip-noted'
  return path === undefined ? (
    <span className={name} title={title}>
      {content}
    </span>
  ) : (
    <button type="button" className={name} title={title} onClick={() => openLocation(path)}>
      {content}
    </button>
  )
}
