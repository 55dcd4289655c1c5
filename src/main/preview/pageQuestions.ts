import type { Dialog, FileChooser } from 'playwright-core'
import { ToolError } from '../../shared/errors.ts'
import type { PreviewDialog, PreviewState } from '../../shared/preview/preview.ts'
import { truncate } from '../../shared/text/truncate.ts'
import type { PersonHandlers } from './preview.ts'

/** Dialogs and file choosers of the page that wait for the person. */
export interface PageQuestions {
  shown(): Pick<PreviewState, 'dialog' | 'fileRequest'>
  /** Shows what the page asks while the person looks at it. */
  handlers: Omit<PersonHandlers, 'onPage' | 'onLogChanged' | 'onUsed'>
  /** Notes that the person looks at the page. */
  looked(): void
  /** Notes that the person clicks or presses a key. */
  used(): void
  /** The person looks no more. */
  hide(): Promise<void>
  answerDialog(accept: boolean, text: string): Promise<void>
  /**
   * Gives the page files.
   * @param id of the request
   * @param files absolute paths; none: the person cancelled
   */
  chooseFiles(id: number, files: readonly string[]): Promise<void>
  /** Another document is in the page, which lacks the field of the chooser. */
  forgetChooser(): void
  /** Another page is open, or none. */
  forget(): void
}

interface QuestionHandlers {
  /** Called when a question opens or closes. */
  onChanged(): void
  /** Called if the page opened a file chooser without the person. */
  onChooserClosed(): void
}

const maxMessage = 2000
/** Milliseconds for which somebody looks who has asked for a frame. A request for one takes up to 15 seconds. */
const lookedMs = 20_000
/** Milliseconds after a click or a key in which a chooser that opens is the person's. Chromium allows 5 seconds. */
const usedMs = 6000

export function createPageQuestions({ onChanged, onChooserClosed }: QuestionHandlers): PageQuestions {
  let dialog: Dialog | undefined
  let chooser: FileChooser | undefined
  let choosers = 0
  let lookedAt = -Infinity
  /** When the person last clicked or pressed a key, after the last call of a model. */
  let usedAt = -Infinity
  const isLooking = (): boolean => performance.now() - lookedAt <= lookedMs

  function setChooser(opened: FileChooser | undefined): void {
    if (opened === chooser) return
    chooser = opened
    if (opened) choosers += 1
    onChanged()
  }

  async function answerDialog(accept: boolean, text: string): Promise<void> {
    const answered = dialog
    if (!answered) return
    dialog = undefined
    onChanged()
    await (accept ? answered.accept(text) : answered.dismiss())
  }
  // The page may be gone.
  const dismissDialog = (): Promise<void> => answerDialog(false, '').catch(() => undefined)

  return {
    shown: () => ({
      dialog: dialog ? describeDialog(dialog) : null,
      fileRequest: chooser ? { id: choosers, multiple: chooser.isMultiple() } : null,
    }),
    handlers: {
      onCall() {
        usedAt = -Infinity
        // The call would wait for the person.
        void dismissDialog()
      },
      handleDialog(opened) {
        if (!isLooking()) return false
        dialog = opened
        onChanged()
        return true
      },
      handleChooser(opened) {
        const isOfPerson = isLooking() && performance.now() - usedAt <= usedMs
        if (isOfPerson) setChooser(opened)
        else onChooserClosed()
        return isOfPerson
      },
      hasDialog: () => dialog !== undefined,
    },
    looked: () => void (lookedAt = performance.now()),
    used: () => void (usedAt = performance.now()),
    hide() {
      lookedAt = -Infinity
      return dismissDialog()
    },
    answerDialog,
    async chooseFiles(id, files) {
      const chosen = id === choosers ? chooser : undefined
      if (chosen) setChooser(undefined)
      if (files.length === 0) return
      if (!chosen)
        throw new ToolError('not_found', 'The page no longer requests a file.', 'Click its file field again.')
      await chosen.setFiles([...files])
    },
    forgetChooser: () => setChooser(undefined),
    forget() {
      dialog = undefined
      chooser = undefined
    },
  }
}

function describeDialog(dialog: Dialog): PreviewDialog {
  const type = dialog.type()
  const kind = type === 'confirm' || type === 'prompt' || type === 'beforeunload' ? type : 'alert'
  return { kind, message: truncate(dialog.message(), maxMessage), value: truncate(dialog.defaultValue(), maxMessage) }
}
