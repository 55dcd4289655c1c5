import { z } from 'zod'
import { noParams, path, request } from '../requestType.ts'
import { previewBounds, previewDisplay, previewInput, previewPoint } from './previewInput.ts'
import {
  previewSteps,
  type PickedElement,
  type PreviewFrame,
  type PreviewPopup,
  type PreviewServer,
  type PreviewState,
  type PreviewTarget,
} from './preview.ts'

export const previewRequests = {
  'preview.state': request<PreviewState>()(() => noParams),
  /** Returns the servers of the folder. */
  'preview.servers': request<PreviewServer[]>()(() => noParams),
  /**
   * Opens an address. Another host than this machine needs `approved`.
   * @returns the host that the user has to approve first, or null
   */
  'preview.open': request<{ host: string | null }>()(() =>
    z.object({ url: z.string().min(1).max(8192), approved: z.boolean() }),
  ),
  'preview.go': request<void>()(() => z.object({ to: z.enum(['back', 'forward', 'reload']) })),
  /**
   * Returns a picture of the page that is newer than the frame `after`; null if there is none for a while. The page is
   * recorded only while such requests arrive.
   */
  'preview.frame': request<PreviewFrame | null>()(() =>
    z.object({ after: z.number().int().min(0), display: previewDisplay }),
  ),
  /** Stops the recording, for example when the tab is hidden. */
  'preview.hide': request<void>()(() => noParams),
  /** Moves and shows the view of the page, if it has one. Null hides it. To be repeated while it is shown. */
  'preview.place': request<void>()(() => z.object({ bounds: previewBounds.nullable(), display: previewDisplay })),
  /** Moves the keyboard focus into the view of the page. */
  'preview.focus': request<void>()(() => noParams),
  /** Returns a popup that the window has to draw. */
  'preview.input': request<PreviewPopup | null>()(() => z.object({ events: z.array(previewInput).min(1).max(200) })),
  /** Sets what the user chose in a popup: indexes of options, or a value. */
  'preview.choose': request<void>()(() =>
    z.object({ options: z.array(z.number().int().min(0)).max(1000).optional(), value: z.string().max(100).optional() }),
  ),
  'preview.answerDialog': request<void>()(() => z.object({ accept: z.boolean(), text: z.string().max(10_000) })),
  /** Finds files of the folder that the page may get. */
  'preview.files': request<readonly string[]>()(() => z.object({ query: z.string().max(1000) })),
  /** Gives the page the files that it requested. None: the user cancelled. */
  'preview.chooseFiles': request<void>()(() =>
    z.object({ id: z.number().int().min(0), paths: z.array(path).max(100) }),
  ),
  'preview.log': request<{ console: readonly string[]; network: readonly string[] }>()(() => noParams),
  /** Returns the accessibility tree as text. */
  'preview.tree': request<string>()(() => noParams),
  /** Returns a picture of the page, PNG as base64. */
  'preview.screenshot': request<{ data: string }>()(() => noParams),
  /** Points at the element at a point, or at one beside the last. */
  'preview.target': request<PreviewTarget | null>()(() =>
    z.object({ at: z.union([previewPoint, z.enum(previewSteps)]) }),
  ),
  /** Describes the element that was pointed at. */
  'preview.pick': request<PickedElement | null>()(() => noParams),
  /** Returns the selected text of the page. */
  'preview.selection': request<string>()(() => noParams),
  /** Ends the browser. */
  'preview.close': request<void>()(() => noParams),
} as const
