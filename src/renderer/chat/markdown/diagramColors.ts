/** CSS colors of a diagram. */
export interface DiagramColors {
  bg: string
  fg: string
  line: string
  accent: string
  muted: string
  surface: string
  border: string
}
