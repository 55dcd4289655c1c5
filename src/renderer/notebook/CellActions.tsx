import type { NotebookCell } from '../../shared/notebook/notebook.ts'
import { IconButton, MenuButton, type MenuGroup } from '../ui/index.ts'
import { copyCell, cutCell, pasteCell } from './notebookKeys.ts'
import type { NotebookSession } from './notebookSession.ts'

interface CellActionsProps {
  session: NotebookSession
  cell: NotebookCell
  /** Position, from 1. */
  number: number
}

/** Buttons of a cell. They are visible while the pointer or the focus is in it. */
export function CellActions({ session, cell, number }: CellActionsProps) {
  const { key, type } = cell
  return (
    <div className="notebook-actions" role="group" aria-label={`Actions of cell ${number}`}>
      {type === 'markdown' && (
        <IconButton
          icon="edit"
          label={`Edit cell ${number}`}
          shortcut="Enter"
          onClick={() => session.select(key, { editing: true })}
        />
      )}
      <IconButton
        icon="arrow-up"
        label={`Move cell ${number} up`}
        shortcut="Alt+Up"
        onClick={() => session.move(key, -1)}
      />
      <IconButton
        icon="arrow-down"
        label={`Move cell ${number} down`}
        shortcut="Alt+Down"
        onClick={() => session.move(key, 1)}
      />
      <MenuButton
        icon="ellipsis"
        label={`More actions of cell ${number}`}
        align="end"
        groups={() => cellMenu(session, cell)}
      />
      <IconButton icon="trash" label={`Delete cell ${number}`} shortcut="D D" onClick={() => session.remove(key)} />
    </div>
  )
}

/** Actions of a cell that have no button. */
export function cellMenu(session: NotebookSession, { key, type }: NotebookCell): MenuGroup[] {
  const index = session.indexOf(key)
  const types = [
    { id: 'code', label: 'Change to code', shortcut: 'Y' },
    { id: 'markdown', label: 'Change to Markdown', shortcut: 'M' },
    { id: 'raw', label: 'Change to raw text', shortcut: 'R' },
  ] as const
  return [
    {
      items: [
        { id: 'cut', label: 'Cut cell', shortcut: 'X', run: () => cutCell(session, key) },
        { id: 'copy', label: 'Copy cell', shortcut: 'C', run: () => copyCell(session, key) },
        { id: 'paste', label: 'Paste cell below', shortcut: 'V', run: () => pasteCell(session, index + 1) },
      ],
    },
    {
      items: [
        {
          id: 'above',
          label: 'Insert code cell above',
          shortcut: 'A',
          run: () => void session.insert(index, { type: 'code' }),
        },
        {
          id: 'below',
          label: 'Insert code cell below',
          shortcut: 'B',
          run: () => void session.insert(index + 1, { type: 'code' }),
        },
      ],
    },
    {
      items: types
        .filter(({ id }) => id !== type)
        .map((each) => ({ ...each, run: () => session.setType(key, each.id) })),
    },
    ...(type === 'code'
      ? [{ items: [{ id: 'clear', label: 'Clear outputs', run: () => session.setOutputs(key, [], null) }] }]
      : []),
  ]
}
