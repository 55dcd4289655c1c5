import { z } from 'zod'

// What the window sends about the page.

/** How the page is shown. */
export const previewDisplay = z.object({
  /** Size of the page in its own pixels. */
  width: z.number().int().min(50).max(4000),
  height: z.number().int().min(50).max(4000),
  /** Whether the page gets the viewport of a phone. */
  mobile: z.boolean(),
  colorScheme: z.enum(['light', 'dark']),
  /** Pixels of the window for one of the page. */
  zoom: z.number().min(0.05).max(10),
})
export type PreviewDisplay = z.infer<typeof previewDisplay>

const side = z.number().min(0).max(20_000)
/** Position of the page in the window, in CSS pixels. */
export const previewBounds = z.object({ x: side, y: side, width: side, height: side })

const coordinate = z.number().min(-10_000).max(10_000)
export const previewPoint = z.object({ x: coordinate, y: coordinate })
export type PreviewPoint = z.infer<typeof previewPoint>

/** Bits as in the DevTools protocol: Alt 1, Control 2, Meta 4, Shift 8. */
const modifiers = z.number().int().min(0).max(15)

/** What the user does in the page. Positions are pixels of the page. */
export const previewInput = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('mouse'),
    type: z.enum(['down', 'up', 'move']),
    ...previewPoint.shape,
    button: z.enum(['none', 'left', 'middle', 'right', 'back', 'forward']),
    /** Pressed buttons, as in DOM events. */
    buttons: z.number().int().min(0).max(31),
    clicks: z.number().int().min(0).max(3),
    modifiers,
  }),
  z.object({
    kind: z.literal('wheel'),
    ...previewPoint.shape,
    deltaX: coordinate,
    deltaY: coordinate,
    modifiers,
  }),
  z.object({
    kind: z.literal('key'),
    type: z.enum(['down', 'up']),
    key: z.string().max(40),
    code: z.string().max(40),
    keyCode: z.number().int().min(0).max(255),
    location: z.number().int().min(0).max(3),
    repeat: z.boolean(),
    modifiers,
  }),
  /** Text of an input method, or from the clipboard. */
  z.object({ kind: z.literal('text'), text: z.string().max(100_000) }),
])
export type PreviewInput = z.infer<typeof previewInput>
