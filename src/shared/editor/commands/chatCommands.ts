import type { CommandRow } from './commandRow.ts'

export const chatCommands = [
  { id: 'chat.focus', title: 'Focus chat', category: 'Chat', keys: ['Mod+L'], when: 'workspace', menuGroup: 1 },
  { id: 'chat.addSelection', title: 'Add selection to chat', category: 'Chat', when: 'file', menuGroup: 1 },
  /** Argument: a path. Default: the active file. */
  { id: 'chat.addFile', title: 'Add file to chat', category: 'Chat', when: 'workspace', menuGroup: 1 },
  /** Argument: the id of a conversation of the open folder. */
  { id: 'chat.show', title: 'Show conversation', category: 'Chat', hidden: true },
  /** Argument: text from a program, `{ heading, text }`. */
  { id: 'chat.addText', title: 'Add text to chat', category: 'Chat', hidden: true },
  /** Argument: a message to put into the message field, after the user's own words. */
  { id: 'chat.suggest', title: 'Put a message into the message field', category: 'Chat', hidden: true },
  /** Argument: a picture, a `File`. */
  { id: 'chat.addPicture', title: 'Add page picture to chat', category: 'Chat', hidden: true },
  /** Argument: an element of a page, an `ElementAttachment`. */
  { id: 'chat.addElement', title: 'Add page element to chat', category: 'Chat', hidden: true },
  {
    id: 'approval.focus',
    title: 'Focus pending approval',
    category: 'Chat',
    keys: ['Mod+Shift+Y'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'chat.new',
    title: 'New conversation',
    otherNames: 'New chat, new thread',
    category: 'Chat',
    keys: ['Mod+Alt+N'],
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'chat.history',
    title: 'Past conversations…',
    otherNames: 'Chat history',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 1,
  },
  {
    id: 'chat.trySeveralTimes',
    title: 'Try several times…',
    otherNames: 'Tries, compare models, same task in several sessions, worktrees, best of',
    category: 'Chat',
    when: 'repository',
  },
  { id: 'chat.find', title: 'Find in conversation', category: 'Chat', when: 'workspace', menuGroup: 1 },
  { id: 'chat.exportMarkdown', title: 'Export conversation as Markdown', category: 'Chat', when: 'workspace' },
  { id: 'chat.exportJson', title: 'Export conversation as JSON', category: 'Chat', when: 'workspace' },
  { id: 'chat.import', title: 'Import conversation…', category: 'Chat', when: 'workspace' },
  {
    id: 'chat.stop',
    title: 'Stop the running turn',
    category: 'Chat',
    keys: ['Mod+Alt+Backspace'],
    when: 'workspace',
    menuGroup: 2,
  },
  { id: 'chat.retry', title: 'Retry last message', category: 'Chat', when: 'workspace', menuGroup: 2 },
  {
    id: 'chat.compact',
    title: 'Summarize conversation',
    otherNames: 'Compact',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 2,
  },
  {
    id: 'chat.pickModel',
    title: 'Choose model…',
    otherNames: 'Switch model, change model',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 3,
  },
  {
    id: 'chat.pickMode',
    title: 'Choose mode…',
    otherNames: 'Auto approve, permissions',
    category: 'Chat',
    when: 'workspace',
    menuGroup: 3,
  },
  { id: 'chat.pickToolset', title: 'Choose toolset…', category: 'Chat', when: 'workspace', menuGroup: 3 },
  { id: 'chat.pickProfile', title: 'Choose prompt profile…', category: 'Chat', when: 'workspace', menuGroup: 3 },
  /** Argument: the result of the `tour.start` request. */
  { id: 'chat.startTour', title: 'Start the tour in chat', category: 'Chat', hidden: true },
] as const satisfies readonly CommandRow[]
