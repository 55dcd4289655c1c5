import type { NotebookCell } from '../../shared/notebook/notebook.ts'
import { plural } from '../../shared/text/plural.ts'
import { IconButton, MenuButton, type MenuGroup } from '../ui/index.ts'
import { copyCells, cutCells, mergedCells, pasteCopied } from './notebookKeys.ts'
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
        onClick={() => session.move(session.targets(key), -1)}
      />
      <IconButton
        icon="arrow-down"
        label={`Move cell ${number} down`}
        shortcut="Alt+Down"
        onClick={() => session.move(session.targets(key), 1)}
      />
      <MenuButton
        icon="ellipsis"
        label={`More actions of cell ${number}`}
        align="end"
        groups={() => cellMenu(session, cell)}
      />
      <IconButton
        icon="trash"
        label={`Delete cell ${number}`}
        shortcut="D D"
        onClick={() => session.remove(session.targets(key))}
      />
    </div>
  )
}

/** Actions of a cell that have no button. Those of a selected cell are for all that are selected. */
export function cellMenu(session: NotebookSession, { key, type }: NotebookCell): MenuGroup[] {
  const targets = session.targets(key)
  const [first, last] = [targets[0] ?? key, targets.at(-1) ?? key].map(session.indexOf)
  const isOne = targets.length < 2
  const cells = plural(targets.length, 'cell')
  const types = [
    { id: 'code', label: 'Change to code', shortcut: 'Y' },
    { id: 'markdown', label: 'Change to Markdown', shortcut: 'M' },
    { id: 'raw', label: 'Change to raw text', shortcut: 'R' },
  ] as const
  return [
    {
      items: [
        { id: 'cut', label: isOne ? 'Cut cell' : `Cut ${cells}`, shortcut: 'X', run: () => cutCells(session, targets) },
        {
          id: 'copy',
          label: isOne ? 'Copy cell' : `Copy ${cells}`,
          shortcut: 'C',
          run: () => copyCells(session, targets),
        },
        { id: 'paste', label: 'Paste below', shortcut: 'V', run: () => pasteCopied(session, (last ?? 0) + 1) },
        {
          id: 'merge',
          label: isOne ? 'Merge with cell below' : `Merge ${cells}`,
          shortcut: 'Shift+M',
          run: () => session.merge(mergedCells(session, targets)),
        },
      ],
    },
    {
      items: [
        {
          id: 'above',
          label: 'Insert code cell above',
          shortcut: 'A',
          run: () => void session.insert(first ?? 0, { type: 'code' }),
        },
        {
          id: 'below',
          label: 'Insert code cell below',
          shortcut: 'B',
          run: () => void session.insert((last ?? 0) + 1, { type: 'code' }),
        },
      ],
    },
    {
      items: types
        .filter(({ id }) => !isOne || id !== type)
        .map((each) => ({ ...each, run: () => session.setType(targets, each.id) })),
    },
    ...(type === 'code'
      ? [{ items: [{ id: 'clear', label: 'Clear outputs', run: () => session.setOutputs(key, [], null) }] }]
      : []),
  ]
}
